"""A session of the server with one text: the processor time that each request takes."""

import collections, json, re, subprocess, time

URI = "file:///growth.ptx"
# A request that takes longer is not waited for.
PATIENCE = 60


class Session:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        capabilities = {"general": {"positionEncodings": ["utf-16"]}, "textDocument": {"diagnostic": {}}}
        self.ask("initialize", {"capabilities": capabilities, "processId": None, "rootUri": None})
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        """Returns the result of a request, or None if it was refused. Requests of the server get an empty answer."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            length = 0
            while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                raise EOFError("the server has ended")
            message = json.loads(self.process.stdout.read(length))
            if message.get("id") == self.number and "method" not in message:
                return message.get("result")
            if "id" in message and "method" in message:
                self.send({"id": message["id"], "result": None})

    def spent(self):
        """The processor time of the server so far, in seconds, of all its threads."""
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def frequent(text):
    """The position of the last place of the name that occurs most often."""
    # A word behind a point is a directive or a modifier. An opcode is not a name, but a frequent word, so registers come first.
    words = collections.Counter(re.findall(r"%[\w$]+", text)) or collections.Counter(re.findall(r"(?<![.\w$])[A-Za-z_][\w$]*", text))
    if not words:
        return {"line": 0, "character": 0}
    at = [m.start() for m in re.finditer(re.escape(words.most_common(1)[0][0]), text)][-1]
    return position(text, at + 1)


def position(text, at):
    line = text.count("\n", 0, at)
    start = text.rfind("\n", 0, at) + 1
    return {"line": line, "character": len(text[start:at].encode("utf-16-le")) // 2}


def seconds(program, text):
    """The processor time of each request on a text: a dict of name and seconds."""
    session, out = Session(program), {}
    document = {"uri": URI}
    name, end = {"textDocument": document, "position": frequent(text)}, position(text, text.rfind("\n", 0, len(text) - 2) + 1 if "\n" in text[:-2] else 0)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 1, "character": 0}}

    def measured(what, run):
        begin, clock = session.spent(), time.monotonic()
        run()
        out[what] = session.spent() - begin
        if time.monotonic() - clock > PATIENCE:
            raise TimeoutError(what)

    def opened():
        session.tell("textDocument/didOpen", {"textDocument": {**document, "languageId": "ptx", "version": 1, "text": text}})
        session.ask("textDocument/diagnostic", {"textDocument": document})

    def edited():
        change = {"range": {"start": end, "end": end}, "text": "mov.u32 %r1, 1;\n"}
        session.tell("textDocument/didChange", {"textDocument": {**document, "version": 2}, "contentChanges": [change]})
        session.ask("textDocument/diagnostic", {"textDocument": document})

    try:
        measured("open", opened)
        time.sleep(0.4)
        requests = {
            "symbols": ("documentSymbol", {"textDocument": document}),
            "tokens": ("semanticTokens/full", {"textDocument": document}),
            "folding": ("foldingRange", {"textDocument": document}),
            "hints": ("inlayHint", {"textDocument": document, "range": whole}),
            "lenses": ("codeLens", {"textDocument": document}),
            "links": ("documentLink", {"textDocument": document}),
            "hover": ("hover", name),
            "definition": ("definition", name),
            "references": ("references", {**name, "context": {"includeDeclaration": True}}),
            "highlights": ("documentHighlight", name),
            "rename": ("rename", {**name, "newName": "%fresh"}),
            "selection": ("selectionRange", {"textDocument": document, "positions": [name["position"]]}),
            "signature": ("signatureHelp", name),
            "completion": ("completion", {"textDocument": document, "position": end}),
            "actions": ("codeAction", {"textDocument": document, "range": {"start": name["position"], "end": name["position"]}, "context": {"diagnostics": []}}),
            "actions of all": ("codeAction", {"textDocument": document, "range": whole, "context": {"diagnostics": []}}),
            "calls": ("prepareCallHierarchy", name),
            "format": ("formatting", {"textDocument": document, "options": {"tabSize": 4, "insertSpaces": True}}),
        }
        for what, (method, params) in requests.items():
            measured(what, lambda method=method, params=params: session.ask(f"textDocument/{method}", params))
        measured("edit", edited)
    finally:
        session.end()
    return out
