/** Decodes the parameters of a call to domain values. */
import * as Result from "effect/Result"
import type * as SchemaIssue from "effect/SchemaIssue"

import * as ErrorObject from "../error/ErrorObject.ts"
import type * as Method from "../method/Method.ts"
import * as MethodCodecs from "../method/methodCodecs.ts"
import * as ValueCount from "./valueCount.ts"

/** Returns the arguments as domain values; an absent optional argument is `undefined`. */
export const decode = (
  method: Method.Any,
  params: unknown
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> => {
  const codec = MethodCodecs.of(method)
  if (Array.isArray(params)) return decodeArray(method, codec, params)
  const positional = toPositional(method, codec, params)
  return Result.isFailure(positional) ? Result.fail(positional.failure) : decodeArray(method, codec, positional.success)
}

// Every call of the gateway runs this, so it reads `_tag` and spares the guards of Result.
const decodeArray = (
  method: Method.Any,
  codec: MethodCodecs.MethodCodec,
  values: ReadonlyArray<unknown>
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> => {
  if (values.length > codec.params.length) {
    return Result.fail(ErrorObject.invalidParams(`too many arguments, want at most ${codec.params.length}`))
  }
  const args: Array<unknown> = []
  let length = 0
  for (const [index, param] of codec.params.entries()) {
    const value = values[index] === null ? (param.byNull ?? null) : values[index]
    if (typeof value === "object" && value !== null && ValueCount.areMoreThan(value, param.values)) {
      return Result.fail(
        ErrorObject.invalidParams(`invalid argument ${index}: too many values, want at most ${param.values}`)
      )
    }
    const decoded = value === undefined ? undefined : decodeOne(method, param, value)
    if (decoded?._tag === "Success") {
      args.push(decoded.success)
      length = args.length
    } else if (decoded !== undefined && value !== null) {
      return Result.fail(invalidArgument(index, decoded.failure))
    } else if (param.optional) {
      args.push(undefined)
    } else {
      return Result.fail(ErrorObject.invalidParams(`missing value for required argument ${index}`))
    }
  }
  args.length = length
  return Result.succeed(args)
}

/** Decodes an argument, also in another spelling of the protocol. The error is that of the caller's own spelling. */
const decodeOne = (
  { respell }: Method.Any,
  { decode }: MethodCodecs.MethodCodec["params"][number],
  value: unknown
): Result.Result<unknown, SchemaIssue.Issue> => {
  const decoded = decode(value)
  if (respell === undefined || decoded._tag === "Success") return decoded
  const other = respell(value)
  if (other === value) return decoded
  const again = decode(other)
  return Result.isSuccess(again) ? again : decoded
}

/** Returns error -32602 in geth's words, without the value. */
export const invalidArgument = (index: number, issue: SchemaIssue.Issue): ErrorObject.ErrorObject => {
  const { path, detail } = MethodCodecs.firstIssue(issue)
  const where = path.length === 0 ? "" : `${path.join(".")}: `
  return ErrorObject.invalidParams(`invalid argument ${index}: ${where}${detail}`)
}

const toPositional = (
  { isPositional }: Method.Any,
  codec: MethodCodecs.MethodCodec,
  params: unknown
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> => {
  if (params === undefined || params === null) {
    return Result.succeed([])
  }
  if (typeof params !== "object" || isPositional === true) {
    return Result.fail(ErrorObject.invalidParams("non-array args"))
  }
  const byName = params as Readonly<Record<string, unknown>>
  // Stop at the first unknown name: there may be thousands.
  for (const name in byName) {
    if (Object.hasOwn(byName, name) && !codec.names.has(name)) {
      const known = [...codec.names].join(", ")
      return Result.fail(ErrorObject.invalidParams(`unknown parameter name, want ${known === "" ? "none" : known}`))
    }
  }
  return Result.succeed(codec.params.map(({ name }) => (Object.hasOwn(byName, name) ? byName[name] : undefined)))
}
