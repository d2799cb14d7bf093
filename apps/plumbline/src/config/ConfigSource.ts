/**
 * Parses the text of a configuration file, YAML 1.2 or JSON, into a value and the place of each setting.
 *
 * The parser's messages are not shown, because they quote the text, which may contain secrets.
 */
import * as Result from "effect/Result"
import {
  type Alias,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLParseError,
  type YAMLWarning
} from "yaml"

import type { SettingMistake, SettingPath } from "./ConfigMistake.ts"

/** A line and a column, from 1. */
export interface SourcePosition {
  readonly line: number
  readonly column: number
}

export interface ConfigSource {
  /** Plain objects, lists, texts, numbers, booleans and null. A setting with a fault may be missing. */
  readonly value: unknown
  /** Settings that YAML has and a configuration has not, such as a name that stands twice. */
  readonly faults: ReadonlyArray<UnreadableSource>
  /**
   * Returns the place of a setting: the place of its name, or of its item in a list. A missing setting has the place of
   * its group.
   */
  readonly placeOf: (path: SettingPath) => SourcePosition
}

/**
 * Maximum number of settings of a file, so that no file can exhaust the memory. Settings repeated by an alias count
 * each time.
 */
const MAX_SETTINGS = 100_000

/** The deepest nesting of a file. */
const MAX_DEPTH = 64

/** Maximum number of reported faults, because aliases may repeat a fault. */
const MAX_FAULTS = 100

/** The reason why a text cannot be read, and the place. */
export interface UnreadableSource extends SettingMistake {
  readonly place: SourcePosition
}

/**
 * Reads a text. An empty one is `{}`. For a text that is not YAML only the first fault is reported, because the
 * parser's further faults follow from it.
 */
export const read = (text: string): Result.Result<ConfigSource, ReadonlyArray<UnreadableSource>> => {
  const lines = new LineCounter()
  // version 1.2 has no `yes`, `on` or octal numbers, and treats a merge key as a name
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: "1.2",
    stringKeys: false,
    // our check takes time linear in the number of names, and the parser's check takes quadratic time
    uniqueKeys: false
  })
  const placeAt = (offset: number): SourcePosition => {
    const { col, line } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const fault = firstOf(document)
  if (fault !== undefined) {
    const open = openOf(fault, document)
    const problem = open === undefined ? problemOf(fault, text) : `opens here, and is not closed with ${open.closing}`
    return Result.fail([{ path: [], problem, place: placeAt(open?.offset ?? fault.pos[0]) }])
  }
  const walk = new Walk(document)
  const value = document.contents === null ? {} : walk.valueOf(document.contents, [], 0)
  const faults = walk.faults.map(({ offset, path, problem }) => ({ path, problem, place: placeAt(offset) }))
  if (walk.isTooMuch) return Result.fail(faults)
  return Result.succeed({
    value: value ?? {},
    faults,
    placeOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const offset = walk.offsets.get(keyOf(path.slice(0, length)))
        if (offset !== undefined) return placeAt(offset)
      }
      return { line: 1, column: 1 }
    }
  })
}

// Private: converts nodes to values.

/**
 * Returns the first fault; if several are at the same place, the most specific one. A warning counts as a fault,
 * because it is about an unknown tag.
 */
const firstOf = ({ errors, warnings }: Document): YAMLParseError | YAMLWarning | undefined => {
  const faults = [...errors, ...warnings].sort((a, b) => a.pos[0] - b.pos[0])
  return faults.find(({ code, pos }) => code === "MULTILINE_IMPLICIT_KEY" && pos[0] === faults[0]!.pos[0]) ?? faults[0]
}

/**
 * Returns the sentence of a fault. YAML takes a `${NAME}` inside `[]` for the start of a group, so that fault has a
 * special sentence.
 */
const problemOf = ({ code, pos }: YAMLParseError | YAMLWarning, text: string): string =>
  text.slice(pos[0] - 1, pos[0] + 1) === "${"
    ? "a ${NAME} inside of [] or {} must be in quotation marks"
    : sentences[code]

/**
 * Returns the start of a quotation, list or group that is not closed, and the character that closes it. The parser
 * notices it only where the next setting begins, or at the end of the file.
 */
const openOf = (
  { code, message, pos }: YAMLParseError | YAMLWarning,
  document: Document
): { readonly offset: number; readonly closing: string } | undefined => {
  if (code !== "BAD_INDENT" && code !== "MISSING_CHAR") return undefined
  const closing = /(?:end with an? |end with |Missing closing )(["'}\]])/u.exec(message)?.[1]
  if (closing === undefined) return undefined
  let offset: number | undefined
  visit(document, {
    Node: (_, node) => {
      if (node.range == null || node.range[0] > pos[0] || node.range[2] < pos[0]) return
      if (closing === "}" ? isMap(node) && node.flow : closing === "]" ? isSeq(node) && node.flow : isScalar(node)) {
        offset = node.range[0]
      }
    }
  })
  return offset === undefined ? undefined : { offset, closing }
}

const keyOf = (path: SettingPath): string => JSON.stringify(path)

/** Returns the node that each alias refers to: the last node above the alias with the alias's anchor. */
const targetsOf = (document: Document): ReadonlyMap<Alias, Node> => {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        const target = anchors.get(node.source)
        if (target !== undefined) targets.set(node, target)
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node)
    }
  })
  return targets
}

class Walk {
  readonly offsets = new Map<string, number>()
  readonly faults: Array<SettingMistake & { readonly offset: number }> = []
  /** True if the file is longer or deeper than a configuration. */
  isTooMuch = false
  readonly #targets: ReadonlyMap<Alias, Node>
  #settings = 0

  constructor(document: Document) {
    this.#targets = targetsOf(document)
  }

  valueOf(node: Node, path: SettingPath, depth: number): unknown {
    this.#settings += 1
    if (this.#settings > MAX_SETTINGS || depth > MAX_DEPTH) {
      if (this.faults.length === 0) this.#fault(node, path, "is too much: no configuration is so long or so deep")
      this.isTooMuch = true
      return undefined
    }
    if (isScalar(node)) return this.#scalar(node.value, node, path)
    if (isAlias(node)) return this.#alias(node, path, depth)
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        const within = [...path, index]
        this.#remember(item as Node | null, within, node)
        return item === null ? null : this.valueOf(item as Node, within, depth + 1)
      })
    }
    if (!isMap(node)) return undefined
    // without a prototype, so that a setting named `__proto__` is reported as unknown
    const value: Record<string, unknown> = Object.create(null)
    for (const pair of node.items as ReadonlyArray<Pair<Node, Node | null>>) {
      if (!isScalar(pair.key) || typeof pair.key.value !== "string") {
        this.#fault(pair.key, path, "has a name that is not text: put it in quotation marks")
        continue
      }
      const name = pair.key.value
      const within = [...path, name]
      if (name === "<<") {
        this.#fault(pair.key, within, "would merge, which YAML 1.2 does not have: an alias stands for one whole value")
        continue
      }
      if (name in value) {
        this.#fault(pair.key, within, sentences.DUPLICATE_KEY)
        continue
      }
      this.#remember(pair.key, within, node)
      value[name] = pair.value === null ? null : this.valueOf(pair.value, within, depth + 1)
    }
    return value
  }

  #alias(node: Alias, path: SettingPath, depth: number): unknown {
    const target = this.#targets.get(node)
    if (target !== undefined) return this.valueOf(target, path, depth + 1)
    this.#fault(node, path, sentences.BAD_ALIAS)
    return undefined
  }

  #scalar(value: unknown, node: Node, path: SettingPath): unknown {
    const isPlain = value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
    if (isPlain) return value
    this.#fault(node, path, "must be a text, a number, true or false")
    return undefined
  }

  #remember(node: Node | null, path: SettingPath, parent: Node): void {
    const offset = node?.range?.[0] ?? parent.range?.[0] ?? 0
    const key = keyOf(path)
    if (!this.offsets.has(key)) this.offsets.set(key, offset)
  }

  #fault(node: Node, path: SettingPath, problem: string): void {
    if (this.faults.length >= MAX_FAULTS) return
    this.faults.push({ path, problem, offset: node.range?.[0] ?? 0 })
  }
}

const sentences: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias cannot have an anchor or a tag of its own",
  BAD_ALIAS: "an alias whose anchor is not above it",
  BAD_COLLECTION_TYPE: "the tag says that it is something else",
  BAD_DIRECTIVE: "a directive (%) that YAML does not have",
  BAD_DQ_ESCAPE: "an unknown escape: a \\ in quotation marks",
  BAD_INDENT: "indented otherwise than its neighbours",
  BAD_PROP_ORDER: "an anchor or a tag in the wrong place",
  BAD_SCALAR_START: "a text that begins so must be in quotation marks",
  BLOCK_AS_IMPLICIT_KEY: "more than one setting in a line: a value with a colon must be in quotation marks",
  BLOCK_IN_FLOW: "an indented block inside of [] or {}",
  DUPLICATE_KEY: "stands here twice: remove one, or give it another name",
  IMPOSSIBLE: "no YAML",
  KEY_OVER_1024_CHARS: "a name of more than 1024 characters",
  MISSING_CHAR: "something is missing: a closing quotation mark or bracket, a comma, or a colon and a space",
  MULTILINE_IMPLICIT_KEY: "continues in the next line, which is indented too far, or a colon is missing",
  MULTIPLE_ANCHORS: "two anchors for one value",
  MULTIPLE_DOCS: "a second document: a configuration is one",
  MULTIPLE_TAGS: "two tags for one value",
  NON_STRING_KEY: "a name that is not text",
  RESOURCE_EXHAUSTION: "nested too deeply",
  TAB_AS_INDENT: "a tab: YAML is indented with spaces",
  TAG_RESOLVE_FAILED: "a tag that means nothing here",
  UNEXPECTED_TOKEN: "something that is not allowed here"
}
