/**
 * The values that a path of a configuration accepts, and the mistakes of a value. Both are read from a Schema, so that
 * names and kinds are written only once.
 */
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"

/** The path of a setting: names, and positions in lists. */
export type SettingPath = ReadonlyArray<string | number>

/** The values that a setting accepts. */
export interface SettingShape {
  /** The known names, if the setting is a group; undefined if the file chooses the names. */
  readonly names: ReadonlyArray<string> | undefined
  readonly isGroup: boolean
  readonly isList: boolean
  /** True if the path takes only text. Then `8080` is a text too, and not a number. */
  readonly isText: boolean
  /** True if the path takes a text that is decoded to a number: a time. */
  readonly isTime: boolean
  /** The sentence that describes valid values. */
  readonly sentence: string
}

/** Returns the shape at a path, or undefined if no setting can have that path. */
export const at = (settings: SchemaAST.AST, path: SettingPath): SettingShape | undefined => {
  const ast = find(settings, path)
  return ast === undefined ? undefined : shapeOf(ast)
}

/** Returns the Schema at a path; undefined if no setting can have that path. */
export const find = (settings: SchemaAST.AST, path: SettingPath): SchemaAST.AST | undefined => {
  let ast: SchemaAST.AST | undefined = settings
  for (const part of path) {
    ast = memberOf(ast, part)
    if (ast === undefined) return undefined
  }
  return ast
}

/** A group is found on both sides: its members keep their decoded form, so that a time is known to be one. */
const memberOf = (ast: SchemaAST.AST, part: string | number): SchemaAST.AST | undefined => {
  if (SchemaAST.isArrays(ast)) return ast.rest[0]
  if (!SchemaAST.isObjects(ast)) return undefined
  return ast.propertySignatures.find(({ name }) => name === part)?.type ?? ast.indexSignatures[0]?.type
}

/** Returns an annotation of the form in a file. */
export const annotationOf = (ast: SchemaAST.AST, name: string): unknown =>
  SchemaAST.resolve(SchemaAST.toEncoded(ast))?.[name]

const shapeOf = (ast: SchemaAST.AST): SettingShape => {
  const encoded = SchemaAST.toEncoded(ast)
  const isGroup = SchemaAST.isObjects(encoded)
  const isText = members(encoded).every((member) => SchemaAST.isString(member) || isWord(member))
  const sentence = SchemaAST.resolve(encoded)?.["message"]
  return {
    isGroup,
    isList: SchemaAST.isArrays(encoded),
    isText,
    isTime: isText && SchemaAST.isNumber(SchemaAST.toType(ast)),
    names:
      isGroup && encoded.indexSignatures.length === 0
        ? encoded.propertySignatures.map(({ name }) => String(name))
        : undefined,
    // a test checks that every Schema of the file has a sentence
    sentence: Predicate.isString(sentence) ? sentence : "must be something else"
  }
}

const members = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => (SchemaAST.isUnion(ast) ? ast.types : [ast])

const isWord = (ast: SchemaAST.AST): boolean => SchemaAST.isLiteral(ast) && Predicate.isString(ast.literal)

/** A mistake of a value: the path of the setting, and a sentence, which never contains the value. */
export interface SettingMistake {
  readonly path: SettingPath
  readonly problem: string
}

const missing = (shape: SettingShape | undefined): string =>
  shape === undefined ? "is missing" : `is missing: it ${shape.sentence}`

/** Maximum number of mistakes that are reported, because a file can repeat one by an alias. */
const MAX_MISTAKES = 100

/**
 * Returns one mistake for each place. A value that fits none of five forms is one mistake, not five. `unknown` makes the
 * sentence of a name that the Schema does not have. Without it, such a name is a mistake of its group, and is not shown.
 */
export const mistakes = (
  settings: SchemaAST.AST,
  issue: SchemaIssue.Issue,
  unknown?: (path: SettingPath) => string
): ReadonlyArray<SettingMistake> => {
  const found = new Map<string, SettingMistake>()
  const add = (path: SettingPath, problem: () => string): void => {
    const key = JSON.stringify(path)
    if (found.size < MAX_MISTAKES && !found.has(key)) found.set(key, { path, problem: problem() })
  }
  const refuse = (path: SettingPath): void => add(path, () => at(settings, path)?.sentence ?? "cannot stand here")
  const walk = (issue: SchemaIssue.Issue, path: SettingPath): void => {
    switch (issue._tag) {
      case "Pointer":
        return walk(issue.issue, [...path, ...(issue.path as SettingPath)])
      case "Encoding":
        return walk(issue.issue, path)
      case "Composite":
        return issue.issues.forEach((within) => walk(within, path))
      case "Filter": {
        const sentence = issue.filter.annotations?.["message"]
        return Predicate.isString(sentence) ? add(path, () => sentence) : walk(issue.issue, path)
      }
      case "MissingKey":
        return add(path, () => missing(at(settings, path)))
      case "UnexpectedKey":
        return unknown === undefined ? refuse(path.slice(0, -1)) : add(path, () => unknown(path))
      default:
        return refuse(path)
    }
  }
  walk(issue, [])
  return [...found.values()]
}
