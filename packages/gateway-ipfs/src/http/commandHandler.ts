/** The request and the answer of a command's handler, and helpers for handlers. */
import type { MemoryBudget, UploadError } from "@plumbline/gateway/GatewayInternals"
import type { HttpRefusal } from "@plumbline/gateway/http/HttpRefusal"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type * as Command from "@plumbline/ipfs-client/commands/Command"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { InvalidRequest, IpfsNodeError, NotSupported } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { IpfsLimits } from "../IpfsOptions.ts"
import * as MultipartUpload from "./multipartUpload.ts"

/** The failure of a command: an error of the node, of the body, or of the service. */
export type CommandFault = IpfsNodeError | UploadError | HttpRefusal

/** A call of the command with this name. */
export interface CommandRequest<Name extends IpfsApi.CommandName> {
  readonly node: IpfsNodeCommands
  readonly args: ReadonlyArray<string>
  /** The options in the request. The node knows the defaults of other options. */
  readonly options: Command.OptionsOf<(typeof IpfsApi.commands)[Name]>
  readonly encoding: string
  readonly format: (cid: Cid.Cid) => Cid.CidText
  /** The parts of the body; none if the command takes no files. */
  readonly parts: MultipartUpload.UploadParts
  readonly limits: IpfsLimits
  /** The memory budget of all requests together. */
  readonly budget: MemoryBudget
}

/** The answer of a handler. Values have the type of the command's Schema, and are encoded later. */
export type CommandAnswer =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Lines"; readonly values: Stream.Stream<unknown, CommandFault> }
  | {
      readonly _tag: "Bytes"
      readonly bytes: Stream.Stream<Uint8Array, CommandFault>
      /** The content type (default: the content type of the command). */
      readonly contentType?: string | undefined
      /** The number of bytes; undefined if it is not known. */
      readonly length?: number | undefined
    }

/** The implementation of a command. */
export type CommandHandler<Name extends IpfsApi.CommandName> = (
  request: CommandRequest<Name>
) => Effect.Effect<CommandAnswer, CommandFault>

export const value = (value: unknown): CommandAnswer => ({ _tag: "Value", value })

export const lines = <A>(values: Stream.Stream<A, CommandFault>): CommandAnswer => ({ _tag: "Lines", values })

export const bytes = (
  bytes: Stream.Stream<Uint8Array, CommandFault>,
  settings: { readonly contentType?: string; readonly length?: number } = {}
): CommandAnswer => ({ _tag: "Bytes", bytes, ...settings })

/** Removes undefined members, because a Schema distinguishes them from absent members. */
export const defined = <A extends object>(members: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as never

export const invalid = (what: string, detail: string): IpfsNodeError =>
  new IpfsNodeError({ reason: new InvalidRequest({ what, detail }) })

/** Fails if an unsupported option is set that would change the answer. `asked` says which options are set. */
export const unsupported = (asked: Readonly<Record<string, boolean>>): Effect.Effect<void, IpfsNodeError> => {
  const name = Object.keys(asked).find((option) => asked[option])
  return name === undefined
    ? Effect.void
    : Effect.fail(new IpfsNodeError({ reason: new NotSupported({ what: `the option ${name}` }) }))
}

/** Reads each part of the body completely into memory, one at a time, and calls `use`. It fails if there is no part. */
export const wholeParts = <A, E>(
  { budget, limits, parts }: Pick<CommandRequest<IpfsApi.CommandName>, "budget" | "limits" | "parts">,
  use: (bytes: Uint8Array) => Effect.Effect<A, E>
): Stream.Stream<A, E | CommandFault> =>
  eachPart(parts, (part) => MultipartUpload.withWhole(part, { budget, limit: limits.blockBytes }, use))

/** Calls `use` with each part of the body, one at a time. It fails if there is no part. */
export const eachPart = <A, E>(
  parts: MultipartUpload.UploadParts,
  use: (part: MultipartUpload.UploadPart) => Effect.Effect<A, E>
): Stream.Stream<A, E | UploadError> =>
  Stream.unfold(true, (isFirst) =>
    Effect.flatMap(parts.next, (part): Effect.Effect<readonly [A, boolean] | undefined, E | UploadError> => {
      if (part !== undefined) return Effect.map(use(part), (value) => [value, false])
      return isFirst ? Effect.fail(MultipartUpload.noFile) : Effect.succeed(undefined)
    })
  )

/**
 * Collects all values of a stream. The answer already has `before` other values. Fails if the answer would have more
 * than `limit` values.
 */
export const collectAtMost = <A, E>(
  stream: Stream.Stream<A, E>,
  limit: number,
  before = 0
): Effect.Effect<ReadonlyArray<A>, E | IpfsNodeError> =>
  Effect.flatMap(Stream.runCollect(Stream.take(stream, limit - before + 1)), (all) =>
    all.length > limit - before
      ? Effect.fail(invalid("answer", `more than ${limit} values: ask for a stream`))
      : Effect.succeed(all)
  )
