/** Parses the JSON of answers. */
import * as Result from "effect/Result"

import { ProtocolError } from "./IpfsError.ts"

/** Parses bytes. */
export const ofBytes = (bytes: Uint8Array): Result.Result<unknown, ProtocolError> => {
  try {
    return ofText(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return Result.fail(new ProtocolError({ detail: "the answer is not UTF-8" }))
  }
}

/** Parses a text. */
export const ofText = (text: string): Result.Result<unknown, ProtocolError> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    // The platform's error message would repeat a part of the answer, so `detail` says only what kind of text it is.
    const start = text.trimStart()
    return Result.fail(
      new ProtocolError({
        detail:
          start === ""
            ? "the answer is empty"
            : start.startsWith("<")
              ? "the answer is HTML, not JSON"
              : "the answer is not JSON"
      })
    )
  }
}
