/** The commands about CIDs themselves. They ask no node. */
import * as CidForms from "@plumbline/ipfs-client/cid/CidForms"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { type CommandAnswer, type CommandFault, type CommandHandler, invalid, lines, value } from "./commandHandler.ts"

const formatted = (
  texts: ReadonlyArray<string>,
  options: CidForms.CidFormatOptions
): Effect.Effect<CommandAnswer, CommandFault> =>
  Result.match(CidForms.formatter(options), {
    onFailure: (sentence) => Effect.fail(invalid("option", sentence)),
    onSuccess: (format) => Effect.succeed(lines(Stream.map(Stream.fromIterable(texts), format)))
  })

export const cidFormat: CommandHandler<"cid/format"> = ({ args, options }) => formatted(args, options)

export const cidBase32: CommandHandler<"cid/base32"> = ({ args }) => formatted(args, { v: "1", b: "base32" })

export const cidInspect: CommandHandler<"cid/inspect"> = ({ args }) =>
  Effect.sync(() => value(CidForms.inspect(args[0]!)))

export const cidBases: CommandHandler<"cid/bases"> = () => Effect.succeed(value(CidForms.bases))

export const cidCodecs: CommandHandler<"cid/codecs"> = ({ options }) =>
  Effect.succeed(value(options.supported === true ? CidForms.supportedCodecs : CidForms.codecs))

export const cidHashes: CommandHandler<"cid/hashes"> = () => Effect.succeed(value(CidForms.hashes))
