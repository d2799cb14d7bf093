/**
 * Finds the values that a path of the configuration accepts. They are read from the Schema, so that names and kinds are
 * written only once.
 */
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"

import { ConfigFile } from "./ConfigFile.ts"
import type { Path } from "./Mistake.ts"

/** The values that a setting accepts. */
export interface Shape {
  /** The known names, if the setting is a group; undefined if the file chooses the names. */
  readonly names: ReadonlyArray<string> | undefined
  readonly isGroup: boolean
  readonly isList: boolean
  /** True if the path takes only text. Then `8080` is a text too, and not a number. */
  readonly isText: boolean
  /** The sentence that describes valid values. */
  readonly sentence: string
}

/** Returns the shape at a path, or undefined if no setting can have that path. */
export const at = (path: Path): Shape | undefined => {
  const ast = find(path)
  return ast === undefined ? undefined : shapeOf(ast)
}

const find = (path: Path): SchemaAST.AST | undefined => {
  let ast = ConfigFile.ast as SchemaAST.AST | undefined
  for (const part of path) {
    if (ast === undefined) return undefined
    if (SchemaAST.isArrays(ast)) ast = ast.rest[0]
    else if (SchemaAST.isObjects(ast)) {
      ast = ast.propertySignatures.find(({ name }) => name === part)?.type ?? ast.indexSignatures[0]?.type
    } else return undefined
  }
  return ast
}

const shapeOf = (ast: SchemaAST.AST): Shape => {
  const isGroup = SchemaAST.isObjects(ast)
  return {
    isGroup,
    isList: SchemaAST.isArrays(ast),
    isText: members(ast).every((member) => SchemaAST.isString(member) || isWord(member)),
    names:
      isGroup && ast.indexSignatures.length === 0 ? ast.propertySignatures.map(({ name }) => String(name)) : undefined,
    sentence: sentenceOf(ast)
  }
}

const members = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => (SchemaAST.isUnion(ast) ? ast.types : [ast])

const isWord = (ast: SchemaAST.AST): boolean => SchemaAST.isLiteral(ast) && Predicate.isString(ast.literal)

/** Returns the sentence of a Schema. A test checks that every Schema of the file has one. */
const sentenceOf = (ast: SchemaAST.AST): string => {
  const sentence = SchemaAST.resolve(ast)?.["message"]
  return Predicate.isString(sentence) ? sentence : "must be something else"
}
