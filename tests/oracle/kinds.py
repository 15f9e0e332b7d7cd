"""The kinds of mutants, with their frequencies and the lines that they apply to."""

DECLARED = ("declaration", "parameter")
ANY = ("instruction", "declaration", "parameter", "signature", "directive", "label", "call-line", "other")
# Kind: weight, and the roles of lines to which it applies.
KINDS = {
    "modifier-dropped": (5, ("instruction",)), "modifier-own": (7, ("instruction",)), "modifier-any": (4, ("instruction",)),
    "modifier-misspelt": (3, ("instruction",)), "modifier-added": (6, ("instruction",)), "modifier-reordered": (3, ("instruction",)),
    "opcode-other": (2, ("instruction",)), "opcode-misspelt": (2, ("instruction",)),
    "register-type": (6, ("instruction",)), "register-undeclared": (2, ("instruction",)), "register-immediate": (4, ("instruction",)),
    "immediate-register": (3, ("instruction",)), "immediate-class": (2, ("instruction",)), "immediate-range": (3, ("instruction",)),
    "operand-dropped": (4, ("instruction",)), "operand-added": (4, ("instruction",)), "operand-swapped": (3, ("instruction",)),
    "operand-sink": (2, ("instruction",)), "operand-special": (3, ("instruction",)), "special-register": (1.5, ("instruction",)),
    "operand-negated": (1.5, ("instruction",)), "operand-pair": (1.5, ("instruction",)), "operand-component": (1.5, ("instruction",)),
    "name-misspelt": (1.5, ("instruction",)), "name-other": (2, ("instruction",)),
    "vector-length": (4, ("instruction",)), "braces-dropped": (1.5, ("instruction",)), "braces-added": (1.5, ("instruction",)),
    "guard": (4, ("instruction",)), "address-brackets": (1.5, ("instruction",)), "brackets-added": (1.5, ("instruction",)),
    "address-offset": (2.5, ("instruction",)), "address-base": (2.5, ("instruction",)), "address-space": (3, ("instruction",)),
    "header": (2.5, ("header",)),
    "declaration-type": (2.5, DECLARED), "declaration-count": (1.5, ("declaration",)), "declaration-removed": (2, DECLARED),
    "declaration-doubled": (1, DECLARED), "declaration-space": (1.5, DECLARED), "declaration-alignment": (1.5, DECLARED),
    "declaration-size": (1.5, DECLARED), "declaration-initializer": (2, ("declaration",)), "declaration-element": (0.7, ("declaration",)),
    "declaration-name": (1.5, DECLARED), "declaration-linking": (1, ("declaration", "signature")), "declaration-vector": (0.7, DECLARED),
    "declaration-attribute": (0.7, DECLARED),
    "label-removed": (0.7, ("label",)), "label-doubled": (0.7, ("label",)), "label-misspelt": (0.7, ("label",)), "label-other": (0.7, ("label",)),
    "call": (4, ("call-line",)), "directive-removed": (0.7, ("directive",)), "directive-doubled": (0.7, ("directive",)),
    "directive-name": (1.5, ("directive", "signature")), "directive-argument": (1.5, ("directive",)), "directive-inserted": (2, ANY),
    "punctuation-dropped": (4, ANY), "punctuation-doubled": (2, ANY), "punctuation-other": (2, ANY),
    "token-dropped": (2, ANY), "token-doubled": (1, ANY), "token-swapped": (2, ANY), "token-other": (2, ANY),
    "line-removed": (1, ANY), "line-doubled": (1, ANY), "line-cut": (1, ANY),
}
# Changes of recorded statements (variants.py): weight.
OPERAND_KINDS = {
    "register-type": 8, "operand-types": 8, "operand-other": 4, "operand-constant": 3, "operand-special": 3, "operand-selector": 3, "operand-vector": 1,
    "operand-sign": 1, "operand-dropped": 1, "operand-added": 1, "sink": 4, "sink-whole": 1,
    "braces-added": 6, "braces-in-address": 1, "braces-dropped": 2, "list-length": 4, "list-types": 5, "list-mixed": 4, "list-constants": 4, "list-sinks": 3, "list-element": 4,
    "address-register": 6, "address-other": 3, "address-bare": 1, "address-added": 1,
}
MODIFIER_KINDS = {
    "modifier-own": 6, "modifier-any": 4, "modifier-type": 4, "modifier-dropped": 3, "modifier-added": 6, "modifier-added-own": 6, "modifier-doubled": 2, "modifier-moved": 3,
    "modifiers-two": 2,
}
