// The search of the reference: the same ranking as that of `ptx-analyzer explain` (server/ide/src/explain/search.rs), whose numbers, words and
// stems the index holds. A test compares the first results of both.
"use strict";

{
  const WORD = /[^\p{L}\p{N}_.%:@]+/u;

  // An index with its sets, so that a search need not make them.
  function prepared(index) {
    const named = (stem) => index.stems[stem];
    const rows = index.rows.map(([name, kind, path, summary, title, role, keys, own, text, synonyms]) => {
      const lower = name.toLowerCase();
      const spelled = keys.map((key) => key.map(named));
      return {
        name,
        kind,
        path,
        summary,
        title,
        role,
        lower,
        length: [...lower].length,
        bare: lower.replace(/^[.%"@_]+/, ""),
        keys: spelled,
        synonyms: new Set(synonyms),
        stems: new Set(spelled.flat()),
        all: [...new Set(spelled.flat())],
        own: new Set(own.map(named)),
        text: new Set(text.map(named)),
      };
    });
    const out = { ...index, rows, names: new Map(), machines: new Set(), entries: new Map() };
    out.stop = new Set(index.stop);
    out.weak = new Set(index.weak);
    out.compare = new Set(index.compare);
    out.same = new Map(index.same);
    out.foreign = new Map(index.foreign);
    out.targets = new Map(index.targets.map(([word, without]) => [word, new Set(without)]));
    // Only what `explain` has too counts: how rare a word is must not depend on further pages.
    for (const row of rows.slice(0, index.common)) {
      for (const stem of new Set([...row.stems, ...row.own, ...row.text])) out.entries.set(stem, (out.entries.get(stem) ?? 0) + 1);
      if (row.role === index.roles.title) continue;
      const isSass = row.role === index.roles.sass;
      if (isSass) out.machines.add(row.lower);
      for (const name of [row.lower, row.bare]) out.names.set(name, (out.names.get(name) ?? true) && isSass);
    }
    const weigh = (key) => key.reduce((sum, own) => sum + stemWeight(out, own), 0);
    for (const row of rows) row.weights = row.keys.map(weigh);
    return out;
  }

  // How much a stem tells: those that many entries have, and those of general words, tell little.
  function stemWeight(index, own) {
    const having = index.entries.get(own) ?? 0;
    if (!index.weak.has(own)) return rarity(index.common, having);
    return index.ranking.weak * rarity(index.common, Math.max(having, index.ranking.weak_entries));
  }

  function stemmer(index) {
    return (word) => {
      word = word.replaceAll("isation", "ization").replaceAll("ising", "izing").replace(/is(e|ed|es)$/, "iz$1");
      const cut = index.endings.find(([ending]) => word.endsWith(ending));
      if (cut && word.length - cut[0].length + cut[1].length >= index.stem) word = word.slice(0, word.length - cut[0].length) + cut[1];
      if (word.length > index.stem && word.endsWith("e")) word = word.slice(0, -1);
      return index.same.get(word) ?? word;
    };
  }

  const allWords = (text) => text.toLowerCase().split(WORD).map((word) => word.replace(/[.:]+$/, "")).filter(Boolean);

  // The stems of the words of a phrase and of the parts of its names.
  function stemsOf(index, stem, text) {
    return allWords(text.replace(/[-_.:%@/]/g, " ")).filter((word) => !index.stop.has(word)).map(stem);
  }

  // The logarithm to base 2 of how many entries there are for each that has a word, in quarters. The ratio is an integer, as in `explain`.
  function rarity(all, having) {
    const ratio = BigInt(Math.max(Math.floor((all * 65536) / (having + 1)), 1));
    const bits = (ratio ** 4n).toString(2).length - 1;
    return Math.max(bits / 4 - 16, 0.5);
  }

  // Whether a word is in upper case in a text, as machine instructions are.
  const isUpper = (text, word) => text.includes(word.toUpperCase()) && !text.includes(word);

  // The parts of a word for which entries are looked up: pairs of text and `name`, `modifier` or `word`.
  function parts(index, stem, isUpper, word) {
    if (!/^[a-z]+$/.test(word) && index.names.has(word)) return [[word, "name"]];
    // A version says nothing.
    if (/^[\d.]*\.[\d.]*$/.test(word)) return [];
    if (index.foreign.has(word)) return [[index.foreign.get(word), "name"]];
    for (let at = word.lastIndexOf("."); at > 0; at = word.lastIndexOf(".", at - 1)) {
      const head = word.slice(0, at);
      if (!index.names.has(head) || (index.names.get(head) && !isUpper)) continue;
      // PTX has no modifier of `BAR.SYNC.DEFER_BLOCKING`.
      const isMachine = isUpper && word.split(".").some((_, at, all) => index.machines.has(all.slice(0, at + 1).join(".")));
      const isKnown = (part) => !isMachine || index.entries.has(stem(part));
      const rest = index.names.get(head) ? [] : word.slice(at).split(/[._:]/).filter((part) => part && isKnown(part));
      return [[head, "name"], ...rest.map((part) => [part, "modifier"])];
    }
    if (/[._:%@]/.test(word)) return word.split(/[._:%@]/).filter((part) => [...part].length > 1).map((part) => [part, "word"]);
    return [[word, "word"]];
  }

  function weighed(index, stem, text) {
    const { ranking } = index;
    const weight = (own, part, written) => {
      const isWeak = index.weak.has(own);
      const factor = isWeak ? 1 : written === "modifier" ? ranking.modifier : written === "name" && /[_%.]/.test(part) ? ranking.code : 1;
      return factor * stemWeight(index, own);
    };
    const words = [];
    for (const word of allWords(text).filter((word) => !index.stop.has(word))) {
      for (const [part, written] of parts(index, stem, isUpper(text, word), word.replace(/^compute_/, "sm_"))) {
        if (index.stop.has(part) && written !== "name") continue;
        const own = stem(part.replace(/^[.%@]+/, ""));
        if (words.some((other) => other.stem === own)) continue;
        const all = written === "name" ? [...new Set(stemsOf(index, stem, part))] : [];
        words.push({ text: part, stem: own, parts: all.length > 1 ? all : [], long: [...part].length > 2, weight: weight(own, part, written), isWeak: index.weak.has(own) });
      }
    }
    // The name of a generation is a filter where something else is asked for.
    const isTarget = words.map((word) => index.targets.has(word.text));
    if (words.some((word, at) => !isTarget[at] && !word.isWeak)) {
      words.forEach((word, at) => isTarget[at] && (word.weight *= ranking.weak));
    }
    return words;
  }

  // Where a row has a word, best place first: points, and the part of the word that counts as found.
  function place(index, row, word, isPhrase) {
    const { ranking } = index;
    const { text, stem, parts } = word;
    if (text === row.lower || (text === row.bare && (/[_:.]/.test(text) || !isPhrase))) return [ranking.name[0], 1, true];
    if (text === row.bare) return [ranking.name[1], 1, true];
    const long = word.long;
    if (long && (row.lower.startsWith(text) || row.bare.startsWith(text))) {
      return [ranking.begins_name - Math.min(row.length, ranking.max_length), 1, true];
    }
    const hasAll = (own) => own(stem) || (parts.length > 0 && parts.every(own));
    if (hasAll((own) => row.keys.length > 0 && row.keys[0].includes(own))) return [...ranking.word, true];
    if (hasAll((own) => row.stems.has(own))) return [...ranking.synonym, true];
    if (long && row.lower.includes(text)) return [...ranking.in_name, true];
    if (long && row.all.some((own) => own.startsWith(stem))) return [...ranking.begins_word, true];
    if (row.own.has(stem)) return [...ranking.summary, false];
    const has = (part) => row.stems.has(part) || row.own.has(part) || row.text.has(part);
    if (row.text.has(stem) || (parts.length > 0 && parts.every(has))) return [...ranking.text, false];
    return [0, 0, false];
  }

  function ranked(index, text) {
    const { ranking } = index;
    const stem = stemmer(index);
    const words = weighed(index, stem, text);
    if (words.length === 0) return [];
    const total = words.reduce((sum, word) => sum + word.weight, 0);
    const isPhrase = /\s/.test(text.trim());
    const stems = new Map(stemsOf(index, stem, text).map((own) => [own, 0]));
    for (const word of words) stems.set(word.stem, word.weight);
    // All that one of the named targets has.
    const filters = allWords(text).filter((word) => index.targets.has(word)).map((word) => index.targets.get(word));
    const isFiltered = filters.length > 0 && words.some((word) => !word.isWeak);
    const hits = [];
    index.rows.forEach((row, at) => {
      if (isFiltered && filters.every((without) => without.has(at))) return;
      let [share, score, byName] = [0, 0, true];
      for (const word of words) {
        const [points, strength, inName] = place(index, row, word, isPhrase);
        share += (strength * word.weight) / total;
        score += (points * word.weight) / total;
        byName &&= inName;
      }
      let [cover, likeness] = [0, 0];
      for (const [number, key] of row.keys.entries()) {
        const both = key.reduce((sum, own) => sum + (stems.get(own) ?? 0), 0);
        likeness = Math.max(likeness, both / Math.max(total + row.weights[number] - both, both) || 0);
        if (!key.every((own) => stems.has(own))) continue;
        let part = key.reduce((sum, own) => sum + stems.get(own), 0) / total;
        if (key.length === stems.size) {
          [part, share, byName] = [1, 1, true];
          score += ranking.phrase;
        }
        cover = Math.max(cover, part);
        if (cover < 1) continue;
        likeness = 1;
        break;
      }
      if (isPhrase && row.synonyms.has(text.trim().toLowerCase())) {
        [share, byName] = [1, true];
        score += ranking.spelled;
      }
      score += cover * ranking.cover + likeness * ranking.likeness;
      if (isPhrase && row.kind === index.topic) score += ranking.topic;
      if (share < ranking.min_share && !(words.length === 1 && share > 0)) return;
      hits.push({ row, score: Math.floor(score + share * ranking.whole + 0.5), byName });
    });
    return hits.sort((a, b) => b.score - a.score);
  }

  // The rows with those first whose name is typed in part: the list is drawn while somebody types. A number is a version, which says nothing
  // among other words.
  function completed(index, text, rows) {
    const typed = text.toLowerCase();
    if (/\s/.test(typed) || index.names.has(typed) || !/[\d_.:]/.test(typed)) return rows;
    const begun = index.rows.filter((row) => row.lower.startsWith(typed)).sort((a, b) => a.length - b.length);
    return [...begun, ...rows.filter((row) => !begun.includes(row))];
  }

  // The two sides of a query that compares them.
  function compared(index, query) {
    const words = query.split(/\s+/).map((word) => word.replace(/[,?.]+$/, "")).filter(Boolean);
    const lower = words.map((word) => word.toLowerCase());
    // A difference is a comparison where it is one between things.
    const isDifference = (word, at) => word.startsWith(index.difference) && lower[at + 1] === "between";
    const first = lower.findIndex((word, at) => index.comparing.includes(word) || isDifference(word, at));
    const middle = lower.findLastIndex((word) => index.between.includes(word));
    if (first < 0 || middle < first) return undefined;
    const side = (from, to) => words.slice(from, to).filter((_, at) => !index.stop.has(lower[from + at]) && !index.compare.has(lower[from + at]));
    const [left, right] = [side(0, middle).join(" "), side(middle + 1).join(" ")];
    return left && right ? [left, right] : undefined;
  }

  // The rows that have most of a query, the best first.
  function search(index, query) {
    // A call stands for its function.
    const text = query.trim().replace(/^([^\s(]+)\(.*$/s, "$1");
    const hits = ranked(index, text);
    const rows = completed(index, text, hits.map((hit) => hit.row));
    const sides = compared(index, text);
    if (!sides || (hits[0]?.row.kind === index.topic && hits[0].byName)) return rows;
    // Names are compared, not phrases.
    const { whole, name } = index.ranking;
    const best = sides.map((side) => ranked(index, side)[0]).map((hit) => (hit?.byName && hit.score >= Math.floor(whole + name[1]) ? hit.row : undefined));
    if (!best[0] || !best[1] || best[0] === best[1]) return rows;
    return [...best, ...rows.filter((row) => !best.includes(row))];
  }

  window.PTX_SEARCH = { prepared, search };
}
