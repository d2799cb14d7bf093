/** The id of a request. With it an operator finds the request in the logs of proxies and of this service. */
import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"

/** The header that carries the id in requests and answers. */
export const HEADER = "x-request-id"

/** Matches an id that is accepted from a caller or its proxy: letters, digits and some symbols, at most 128. */
const FORM = /^[A-Za-z0-9._:+/=@~-]{1,128}$/u

/** Returns the id in the request's header, or a new id. */
export const of = ({ headers, url = "" }: Pick<IncomingMessage, "headers" | "url">): string => {
  const given = headers[HEADER]
  // The id is logged, so it must not be the API key, which is part of the path.
  return typeof given === "string" && FORM.test(given) && !(given.length >= KEY_LENGTH && url.includes(given))
    ? given
    : made()
}

const KEY_LENGTH = 16

/** Returns a new id: 48 random bits of this process, and a count. All new ids have the same length. */
const made = (): string => PROCESS + (++count).toString(16).padStart(12, "0")

const PROCESS = randomBytes(6).toString("hex")
let count = 0
