/** Random changes of good requests, sent in random pieces. */
import * as Seeded from "@plumbline/seeded/Random"

import { cut, messageParts, mutate } from "../../support/mutate.ts"
import { GOOD } from "./vector.ts"

/** Returns the steps of a conversation: some requests with changes, and perhaps a good one behind them. */
export const mutation = (random: Seeded.Random): ReadonlyArray<string> => {
  const first = mutate(random, Seeded.pick(random, seeds), parts)
  const text = first + (Seeded.chance(random, 0.3) ? GOOD : "")
  if (!Seeded.chance(random, 0.3)) return [text]
  return cut(random, text).flatMap((piece, index) => (index === 0 ? [piece] : ["WAIT", piece]))
}

const named = "POST /net/v3/k HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 12\r\nHost: a:80\r\n"

const seeds = [
  GOOD,
  GOOD + GOOD,
  GOOD + GOOD.replace(/2\r\n\r\n\{\}$/u, "10\r\n\r\n0123456789") + GOOD,
  `${named}Connection: keep-alive\r\n\r\n{"a":[1,2]} `,
  `${named}connection:close\r\nX-A: b c\r\n\r\n{"a":[1,2]} `,
  "POST /v3/k HTTP/1.1\r\nHost: a\r\nX: y\r\nTransfer-Encoding: chunked\r\nZ: w\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n",
  "POST /v3/slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
]

const parts = [...messageParts, "Host: b\r\n", "Expect: 100-continue\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", GOOD]
