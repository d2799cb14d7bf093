/** A row of the comparison: a question to both nodes, and their answers. */
import { isDeepStrictEqual } from "node:util"

import { type Ask, type Call, shown } from "./askNode.ts"

/** The tools and the content that a row works with. */
export interface Given {
  readonly ask: Ask
  /** Sends a call, and returns the parts of the answer that are compared. */
  readonly see: (path: string, call?: Call) => Promise<Record<string, unknown>>
}

export interface Row {
  /** The question, in a few words. */
  readonly name: string
  readonly run: (given: Given) => Promise<unknown>
}

/** Makes a row with one call. */
export const call = (name: string, path: string, parts?: Call["parts"]): Row => ({
  name,
  run: ({ see }) => see(path, parts === undefined ? {} : { parts })
})

/** Returns the result of a row at a node. It never fails: an error is a result. */
export const look = async (row: Row, ask: Ask): Promise<unknown> => {
  try {
    return await row.run({ ask, see: async (path, call) => shown(await ask(path, call)) })
  } catch (error) {
    return { thrown: error instanceof Error ? error.message : String(error) }
  }
}

/** A place where two values differ. */
export interface Difference {
  /** The path to the place: names of members with dots between them. */
  readonly at: string
  readonly ours: unknown
  readonly kubos: unknown
}

/** Returns the leaves at which two values differ. */
export const differences = (ours: unknown, kubos: unknown, at = ""): ReadonlyArray<Difference> => {
  if (isDeepStrictEqual(ours, kubos)) return []
  if (!isObject(ours) || !isObject(kubos) || Array.isArray(ours) !== Array.isArray(kubos)) return [{ at, ours, kubos }]
  const names = new Set([...Object.keys(ours), ...Object.keys(kubos)])
  return [...names].flatMap((name) => differences(ours[name], kubos[name], at === "" ? name : `${at}.${name}`))
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null
