/**
 * Compares the lane with `node:http`.
 *
 * The lane must do what `node:http` does. Where it does not, it must do what `node:http` does if the rest comes after
 * the answers to the requests that the lane took: `node:http` refuses a bad request before it has answered a good one
 * in the same read, and loses that answer. In both cases the same requests with the same bodies are seen.
 *
 * One thing is different: if a client closes its side while an answer is made and half a request waits, `node:http`
 * refuses the half request in the place of that answer. The lane sends nothing more.
 */
import { type Heard, play, type Setting } from "./conversation.ts"

export type Comparison = "equal" | "in order" | "cut off" | "different"

/** Puts bytes in front of the steps, in one write with the first of them. */
export const behind = (before: string, steps: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (before === "") return steps
  const [first = "FIN", ...others] = steps
  return COMMANDS.has(first) ? [before, ...steps] : [before + first, ...others]
}

export const compare = async (
  steps: ReadonlyArray<string>,
  setting: Setting
): Promise<{ readonly result: Comparison; readonly lane: Heard; readonly node: Heard }> => {
  const lane = await play("lane", steps, setting)
  const node = await play("node", steps, setting)
  if (isEqual(lane, node)) return { result: "equal", lane, node }
  const waiting = await play("node", splitAt(steps, takenBytes(steps, lane.taken)), setting)
  const isCutOff = steps.at(-1) === "FIN" && lane.isClosed && waiting.text.startsWith(lane.text)
  const result = isEqual(lane, waiting) ? "in order" : isCutOff && hasSame(lane, waiting) ? "cut off" : "different"
  return { result, lane, node }
}

const isEqual = (a: Heard, b: Heard): boolean => a.text === b.text && a.isClosed === b.isClosed && hasSame(a, b)

const hasSame = (a: Heard, b: Heard): boolean => JSON.stringify(a.seen) === JSON.stringify(b.seen)

/** Returns the size of the first requests together, which have a plain Content-Length. */
const takenBytes = (steps: ReadonlyArray<string>, count: number): number => {
  const text = steps.filter((step) => !COMMANDS.has(step)).join("")
  let end = 0
  for (let index = 0; index < count; index++) {
    const body = text.indexOf("\r\n\r\n", end) + 4
    end = body + Number(/\r\ncontent-length: ?(\d+)\r\n/iu.exec(text.slice(end, body))?.[1])
  }
  return end
}

/** Makes the client wait for its answers after a number of bytes. */
const splitAt = (steps: ReadonlyArray<string>, size: number): ReadonlyArray<string> => {
  let left = size
  return steps.flatMap((step) => {
    if (COMMANDS.has(step) || left < 0) return [step]
    const at = left
    left -= step.length
    if (at > step.length || (at === 0 && size === 0)) return [step]
    left = -1
    return [step.slice(0, at), "WAIT", step.slice(at)]
  })
}

const COMMANDS: ReadonlySet<string> = new Set(["FIN", "RST", "WAIT"])
