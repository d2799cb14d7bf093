/** The id of a request, by which an operator finds its lines in the logs of proxies and of this service. */
import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"

/** The header of requests and answers. */
export const HEADER = "x-request-id"

/** The ids that are taken over from a caller or its proxy: visible characters without quotation marks, at most 128. */
const FORM = /^[A-Za-z0-9._:+/=@~-]{1,128}$/u

/** Returns the id that the request brings, or a new one. */
export const of = ({ headers, url = "" }: IncomingMessage): string => {
  const given = headers[HEADER]
  // The path holds the API key, and the id is logged.
  return typeof given === "string" && FORM.test(given) && !(given.length >= KEY_LENGTH && url.includes(given))
    ? given
    : made()
}

const KEY_LENGTH = 16

/** All ids have the same length: 48 random bits of this process, and a count. */
const made = (): string => PROCESS + (++count).toString(16).padStart(12, "0")

const PROCESS = randomBytes(6).toString("hex")
let count = 0
