/** Rules for the names and forms that public modules export: docs/decisions/workspace.md. */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import { type Declaration, parseSync } from "oxc-parser"
import { expect, test } from "vitest"

import { packages } from "../workspace.ts"

type Constant = Extract<Declaration, { readonly type: "VariableDeclaration" }>["declarations"][number]
type AnyClass = Extract<Declaration, { superClass: unknown }>

/** The exported constants and classes of a module that it declares itself. */
const declaredIn = (file: string, source: string) => {
  const constants: Array<Constant> = []
  const classes: Array<AnyClass> = []
  for (const statement of parseSync(file, source).program.body) {
    if (statement.type !== "ExportNamedDeclaration") continue
    const { declaration } = statement
    if (declaration?.type === "VariableDeclaration") constants.push(...declaration.declarations)
    if (declaration?.type === "ClassDeclaration") classes.push(declaration)
  }
  return { constants, classes }
}

const nameOf = ({ id }: Constant): string => (id.type === "Identifier" ? id.name : "")

/** The layers of a module, and those among them that are values instead of functions. */
const layersIn = (file: string, source: string) => {
  const layers = declaredIn(file, source).constants.filter((each) => /^layer(?![a-z])/u.test(nameOf(each)))
  return {
    count: layers.length,
    values: layers.filter(({ init }) => init?.type !== "ArrowFunctionExpression").map(nameOf)
  }
}

/** The error classes of a module, and those among them that are not named so. The cases of an error module need not. */
const errorsIn = (file: string, source: string) => {
  const errors = declaredIn(file, source).classes.filter(({ superClass }) => {
    const text = superClass === null ? "" : source.slice(superClass.start, superClass.end)
    return /\bTaggedError\b|^(?:\w*Error)$/u.test(text)
  })
  const names = errors.map(({ id }) => id?.name ?? "")
  const isErrorModule = file.endsWith("Error.ts")
  return { count: names.length, misnamed: names.filter((name) => !isErrorModule && !name.endsWith("Error")) }
}

const modules = packages().flatMap(({ dir, modules }) =>
  modules.map((module) => {
    const file = path.join(dir, "src", `${module}.ts`)
    return { file, name: `${path.basename(dir)}/${module}`, source: readFileSync(file, "utf8") }
  })
)

test("a layer is a function in every public module", () => {
  const found = modules.map(({ file, name, source }) => ({ name, ...layersIn(file, source) }))
  expect(found.flatMap(({ name, values }) => values.map((value) => `${name}.${value}`))).toEqual([])
  expect(found.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(40)
})

test("the name of an error class ends with Error", () => {
  const found = modules.map(({ file, name, source }) => ({ name, ...errorsIn(file, source) }))
  expect(found.flatMap(({ name, misnamed }) => misnamed.map((each) => `${name}.${each}`))).toEqual([])
  expect(found.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(40)
})

test("a layer that is a value and an error of another name are found", () => {
  const source = `
    export const layer: Layer.Layer<A> = Layer.succeed(A, a)
    export const layerOf = (a: A) => Layer.succeed(A, a)
    export const layered = 1
    export class Broken extends Schema.TaggedError<Broken>()("Broken", {}) {}
    export class A extends Context.Service<A, B>()("A") {}
  `
  expect(layersIn("A.ts", source)).toEqual({ count: 2, values: ["layer"] })
  expect(errorsIn("A.ts", source)).toEqual({ count: 1, misnamed: ["Broken"] })
  expect(errorsIn("AError.ts", source)).toEqual({ count: 1, misnamed: [] })
})
