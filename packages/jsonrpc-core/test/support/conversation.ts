/**
 * Conversations as files: `// comment`, `>> request`, `<< answer`. Several `>>` lines are one request of several lines; an
 * empty `<<` means that nothing is answered.
 */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

export interface Exchange {
  readonly line: number
  readonly request: string
  readonly answer: string | undefined
}

export interface Conversation {
  readonly name: string
  readonly exchanges: ReadonlyArray<Exchange>
}

export const readAll = (folder: string): ReadonlyArray<Conversation> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".io"))
    .sort()
    .map((file) => ({ name: path.basename(file, ".io"), exchanges: read(path.join(folder, file)) }))

const read = (file: string): ReadonlyArray<Exchange> => {
  const exchanges: Array<Exchange> = []
  const request: Array<string> = []
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .forEach((text, index) => {
      if (text.startsWith(">> ")) {
        request.push(text.slice(3))
      } else if (text.startsWith("<<") && request.length > 0) {
        const answer = text.slice(2).trim()
        exchanges.push({
          line: index + 1,
          request: request.splice(0).join("\n"),
          answer: answer === "" ? undefined : answer
        })
      } else if (text !== "" && !text.startsWith("//")) {
        throw new Error(`${file}:${index + 1} is neither comment, request nor answer to one`)
      }
    })
  if (request.length > 0) {
    throw new Error(`${file} ends in a request without an answer`)
  }
  return exchanges
}
