/** The codecs that read and write values, by their names. Each works in steps. */
import * as Result from "effect/Result"

import type { Steps } from "../work/steps.ts"
import type { Flaw } from "./bounds.ts"
import * as DagCbor from "./cbor.ts"
import * as DagJson from "./json.ts"
import * as JsonWriter from "./jsonWriter.ts"
import * as DagPbValue from "./pbValue.ts"

/** The name of a codec for reading and writing values. */
export type Name = "dag-cbor" | "dag-json" | "dag-pb" | "raw"

interface Codec {
  readonly decode: (bytes: Uint8Array) => Steps<Result.Result<unknown, Flaw>>
  readonly encode: (value: unknown) => Steps<Result.Result<Uint8Array, string>>
}

export const CODECS: Readonly<Record<Name, Codec>> = {
  "dag-cbor": { decode: DagCbor.decodeSteps, encode: DagCbor.encodeSteps },
  "dag-json": { decode: DagJson.decodeSteps, encode: JsonWriter.encodeSteps },
  "dag-pb": { decode: DagPbValue.decode, encode: DagPbValue.encode },
  raw: {
    *decode(bytes) {
      return Result.succeed(bytes)
    },
    *encode(value) {
      return value instanceof Uint8Array ? Result.succeed(value) : Result.fail("only bytes can be raw")
    }
  }
}
