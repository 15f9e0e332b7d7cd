/**
 * The PTX language, to be handed to `Parser.setLanguage` of the package `tree-sitter`.
 *
 * @example
 * import Parser from "tree-sitter";
 * import Ptx from "tree-sitter-ptx";
 *
 * const parser = new Parser();
 * parser.setLanguage(Ptx);
 */
declare const binding: {
  /** The native language object. */
  language: unknown;
  /** The node types with their fields, as in src/node-types.json. */
  nodeTypeInfo: unknown[];
  readonly HIGHLIGHTS_QUERY: string;
  readonly FOLDS_QUERY: string;
  readonly INDENTS_QUERY: string;
  readonly LOCALS_QUERY: string;
  readonly TAGS_QUERY: string;
  readonly INJECTIONS_QUERY: string;
};

export default binding;
