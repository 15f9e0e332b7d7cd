#!/usr/bin/env python3
"""Measures how long new machine code takes after an edit.

    edits.py FILE... --analyzer PATH --ptxas PATH --nvdisasm PATH [--edits 10]

For each file: a client opens it, and after each of some edits (a comment at the end) asks for the machine code as an editor does,
first without live registers. The script prints medians in milliseconds: from the edit to the first answer, the part of it that
ptxas and nvdisasm take, and to the answer with live registers. The half second that editors wait after a key is not in it.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time


class Client:
    def __init__(self, arguments):
        self.process = subprocess.Popen([arguments.analyzer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        section = {"ptxas": {"path": arguments.ptxas}, "nvdisasm": {"path": arguments.nvdisasm}}
        options = {"ptx-analyzer": section, "workspaceTrusted": True}
        self.call("initialize", {"capabilities": {}, "processId": None, "rootUri": None, "initializationOptions": options})
        self.notify("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def call(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            length = 0
            while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.process.stdout.read(length))
            if message.get("id") == self.number and "method" not in message:
                if "error" in message:
                    raise SystemExit(message["error"])
                return message["result"]

    def sass(self, uri, live):
        argument = {"uri": uri, "live": live}
        return self.call("workspace/executeCommand", {"command": "ptx-analyzer.sass", "arguments": [argument]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--analyzer", required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--nvdisasm", required=True)
    parser.add_argument("--edits", type=int, default=10)
    arguments = parser.parse_args()
    print("| file | instructions | first answer | of it ptxas | of it nvdisasm | the rest | with live registers |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for path in arguments.files:
        client, uri, text = Client(arguments), path.resolve().as_uri(), path.read_text()
        document = {"uri": uri, "languageId": "ptx", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": document})
        client.sass(uri, False)
        end = {"line": text.count("\n"), "character": len(text) - text.rfind("\n") - 1}
        times = []
        for edit in range(arguments.edits):
            change = [{"range": {"start": end, "end": end}, "text": f"// {edit}\n"}]
            begin = time.perf_counter()
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": edit + 2}, "contentChanges": change})
            answer = client.sass(uri, False)
            first = time.perf_counter() - begin
            client.sass(uri, True)
            both = time.perf_counter() - begin
            ptxas, nvdisasm = answer["seconds"]["ptxas"], answer["seconds"]["nvdisasm"]
            times.append((first, ptxas, nvdisasm, first - ptxas - nvdisasm, both))
        medians = [f"{1e3 * statistics.median(column):.0f}" for column in zip(*times)]
        count = sum(function["instructions"] for function in answer["functions"])
        print(f"| {path.name} | {count} | " + " | ".join(medians) + " |", flush=True)
        client.process.kill()


if __name__ == "__main__":
    main()
