/** The places in which two JSON values differ. */
import { count } from "../look/TextFormats.ts"

/**
 * A path at which two answers differ, with both values as text. The text `nothing` means that the member is missing.
 */
export interface AnswerDifference {
  /** The path, such as `transactions[0].value`; `answer` for the whole. */
  readonly path: string
  readonly truth: string
  readonly told: string
}

/** Returns the places in which two values differ, in the order of the first value. */
export const between = (truth: unknown, told: unknown): ReadonlyArray<AnswerDifference> => compare("", truth, told)

const compare = (path: string, truth: unknown, told: unknown): ReadonlyArray<AnswerDifference> => {
  if (truth === told) return []
  if (Array.isArray(truth) && Array.isArray(told)) {
    if (truth.length !== told.length) {
      return [
        { path: path === "" ? "answer" : path, truth: count(truth.length, "item"), told: count(told.length, "item") }
      ]
    }
    return truth.flatMap((one, at) => compare(`${path}[${at}]`, one, told[at]))
  }
  if (isObject(truth) && isObject(told)) {
    return [...new Set([...Object.keys(truth), ...Object.keys(told)])].flatMap((name) =>
      compare(path === "" ? name : `${path}.${name}`, truth[name], told[name])
    )
  }
  return [{ path: path === "" ? "answer" : path, truth: text(truth), told: text(told) }]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const text = (value: unknown): string => {
  if (value === undefined) return "nothing"
  return typeof value === "string" ? value : isObject(value) ? "a value" : JSON.stringify(value)
}
