/** Reads a configuration from the disk, with the environment of this process and the file of the admin token. */
import * as GatewayTls from "@plumbline/gateway/http/Tls"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import * as BeaconNetwork from "../beacon/BeaconNetwork.ts"
import { type DataError, dataError } from "../files/DataError.ts"
import * as RollupChain from "../rollup/RollupChain.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import * as BeaconSection from "./BeaconSection.ts"
import type { SettingMistake, SettingPath } from "./ConfigMistake.ts"
import * as Configuration from "./Configuration.ts"
import { Variables } from "./EnvironmentVariables.ts"
import * as IntegritySection from "./IntegritySection.ts"
import type { ServiceSettings } from "./ServiceSettings.ts"

/** A configuration from the disk. */
export interface LoadedConfig {
  /** The file as an absolute path; undefined if there is none. */
  readonly file: string | undefined
  /** The settings, with every path absolute. */
  readonly settings: ServiceSettings
  readonly warnings: Configuration.Configuration["warnings"]
}

/**
 * Reads a file and the environment, or only the environment if no file is given. Every command that reads a
 * configuration calls this function, so all of them find the same mistakes, in the files that it names too.
 */
export const load = Effect.fnUntraced(function* (given: string | undefined) {
  const path = yield* Path.Path
  const file = given === undefined ? undefined : path.resolve(given)
  const text = file === undefined ? "" : yield* readText(file)
  const read = Configuration.examine({ text, file, variables: yield* Variables })
  if (Result.isFailure(read) && read.failure.sound === undefined) return yield* read.failure.error
  // the files that a part names are looked at too, so that all mistakes are reported at once
  const config = Result.isSuccess(read) ? read.success : read.failure.sound!
  const folder = file === undefined ? path.resolve() : path.dirname(file)
  const { oidc, tokenFile } = config.file.admin
  const secretIn = (name: string | undefined, form: RegExp, wanted: string) =>
    name === undefined ? Effect.undefined : lineIn(path.resolve(folder, name), form, wanted)
  const token = yield* secretIn(tokenFile, /^[0-9a-fA-F]{32,256}$/u, "one token: 32 to 256 hex digits")
  const clientSecret = yield* secretIn(oidc?.clientSecretFile, /^[\x21-\x7e]{1,1000}$/u, "one secret, without blanks")
  const made = config.settings({
    token: token?._tag === "Success" ? token.success : undefined,
    clientSecret: clientSecret?._tag === "Success" ? clientSecret.success : undefined
  })
  const settings: ServiceSettings = {
    ...made,
    admin:
      made.admin.socket === undefined ? made.admin : { ...made.admin, socket: path.resolve(folder, made.admin.socket) },
    networks: made.networks.map((network) => IntegritySection.resolved(network, (file) => path.resolve(folder, file))),
    ...(made.beacon === undefined
      ? {}
      : { beacon: BeaconSection.resolved(made.beacon, (file) => path.resolve(folder, file)) })
  }
  const { state } = settings
  const tls = settings.tls && {
    ...settings.tls,
    certificate: path.resolve(folder, settings.tls.certificate),
    key: path.resolve(folder, settings.tls.key)
  }
  const certificate = yield* tlsFlaws(tls)
  const found = [
    ...(token?._tag === "Failure" ? [{ path: ["admin", "tokenFile"], problem: token.failure }] : []),
    ...(clientSecret?._tag === "Failure"
      ? [{ path: ["admin", "oidc", "clientSecretFile"], problem: clientSecret.failure }]
      : []),
    ...certificate.mistakes,
    ...(yield* Effect.forEach(settings.networks, ({ name, trust }) =>
      beaconMistakes(["networks", name, "trust", "network"], trust?.network)
    )).flat(),
    ...(yield* Effect.forEach(settings.networks, ({ name, trust }) =>
      beaconMistakes(["networks", name, "trust", "l1", "network"], trust?.l1?.network)
    )).flat(),
    ...(yield* Effect.forEach(settings.networks, rollupMistakes)).flat(),
    ...(yield* Effect.forEach(Object.entries(settings.beacon ?? {}), ([name, { network }]) =>
      beaconMistakes(["beacon", name, "network"], network)
    )).flat(),
    ...(yield* Effect.forEach(settings.networks, forksMistakes)).flat()
  ]
  if (Result.isFailure(read)) return yield* read.failure.broken(found)
  if (found.length > 0) return yield* read.success.broken(found)
  const loaded: LoadedConfig = {
    file,
    warnings: [...read.success.warnings, ...read.success.broken(certificate.warnings).mistakes],
    settings: {
      ...settings,
      state:
        state._tag === "Folder" && state.folder !== undefined
          ? { ...state, folder: path.resolve(folder, state.folder) }
          : state,
      ...(tls === undefined ? {} : { tls })
    }
  }
  return loaded
})

const readText = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (error: PlatformError.PlatformError) => dataError(file, "Unreadable", error)
  const { size, type } = yield* Effect.mapError(fs.stat(file), unreadable)
  // a shell can pass a pipe in place of a file; reading a device may never end
  if (type !== "File" && type !== "FIFO") return yield* mistake(file, "", "is not a file")
  if (size > MAX_BYTES) return yield* mistake(file, "", "has more than 4 MiB")
  const bytes = yield* Effect.mapError(fs.readFile(file), unreadable)
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => mistake(file, "", "is not text in UTF-8: save it in that encoding")
  })
})

/** Returns the secret that is the only line of a file, or the problem of the file. */
const lineIn = Effect.fnUntraced(function* (file: string, form: RegExp, wanted: string) {
  const text = yield* Effect.result(readText(file))
  if (Result.isFailure(text)) return Result.fail(unusable(text.failure))
  const line = text.success.trim()
  return form.test(line) ? Result.succeed(Redacted.make(line)) : Result.fail(`must be a file of ${wanted}`)
})

/** Returns the flaws of the certificate's files: each must be readable, the key must fit, and its time should not be over. */
const tlsFlaws = Effect.fnUntraced(function* (tls: ServiceSettings["tls"]) {
  const none: ReadonlyArray<SettingMistake> = []
  if (tls === undefined) return { mistakes: none, warnings: none }
  const [certificate, key] = yield* Effect.all([
    Effect.result(readText(tls.certificate)),
    Effect.result(readText(tls.key))
  ])
  const flaw = (setting: "certificate" | "key", problem: string) => ({ path: ["tls", setting], problem })
  if (Result.isFailure(certificate) || Result.isFailure(key)) {
    const mistakes = [
      ...(Result.isFailure(certificate) ? [flaw("certificate", unusable(certificate.failure))] : []),
      ...(Result.isFailure(key) ? [flaw("key", unusable(key.failure))] : [])
    ]
    return { mistakes, warnings: none }
  }
  const checked = GatewayTls.check({
    certificate: certificate.success,
    key: Redacted.make(key.success),
    minVersion: tls.minVersion
  })
  if (Result.isFailure(checked)) {
    const { problem, setting } = checked.failure
    return { mistakes: [flaw(setting, `cannot be used: ${problem}`)], warnings: none }
  }
  const ends = DateTime.makeUnsafe(checked.success.ends * 1000)
  const isOver = DateTime.isLessThan(ends, yield* DateTime.now)
  const expired = `has expired at ${DateTime.formatIso(ends)}: clients refuse it. Renew it`
  return { mistakes: none, warnings: isOver ? [flaw("certificate", expired)] : none }
})

/** Returns the mistake of a setting that names a beacon chain in a file that cannot be used. */
const beaconMistakes = Effect.fnUntraced(function* (at: SettingPath, network: string | undefined) {
  if (network === undefined) return []
  const read = yield* Effect.result(BeaconNetwork.named(network))
  if (Result.isSuccess(read)) return []
  const { detail } = read.failure
  return [{ path: at, problem: `names a file that cannot be used: ${detail}` }]
})

/** Returns the mistake of a rollup that is not known, is another chain than the network, or has another parent chain. */
const rollupMistakes = Effect.fnUntraced(function* ({ chainId, name, trust }: ServiceSettings["networks"][number]) {
  if (trust?.rollup === undefined) return []
  const path = ["networks", name, "trust", "rollup"]
  const read = yield* Effect.result(RollupChain.named(trust.rollup))
  if (Result.isFailure(read)) {
    const { failure } = read
    if (failure._tag === "UsageError") return [{ path, problem: `is not known: ${failure.problem}` }]
    // a name that the registry does not have was taken for the path of a file; a file has an ending
    const given = trust.rollup.replace(/^.*[/\\]/u, "")
    return failure.detail === "ENOENT" && !given.includes(".")
      ? [{ path, problem: `is not known: ${RollupChain.unknown(given)}` }]
      : [{ path, problem: unusable(failure) }]
  }
  const chain = read.success
  if (chainId !== undefined && String(chainId) !== chain.chainId.toString()) {
    return [{ path, problem: `is chain ${chain.chainId}, and the network is chain ${chainId}` }]
  }
  // a file that cannot be used is a mistake of its own
  const { checkpoint, network } = trust.l1 ?? {}
  const l1 = checkpoint === undefined ? undefined : yield* Effect.option(BeaconNetwork.named(network!))
  return l1?._tag !== "Some" || l1.value.chainId === chain.l1ChainId
    ? []
    : [
        {
          path: ["networks", name, "trust", "l1", "network"],
          problem: `is chain ${l1.value.chainId}, and the parent chain of ${chain.name} is chain ${chain.l1ChainId}`
        }
      ]
})

/** Returns the mistake of a network whose file of later forks cannot be used. */
const forksMistakes = Effect.fnUntraced(function* ({ laterForks, name }: ServiceSettings["networks"][number]) {
  if (laterForks === undefined) return []
  const read = yield* Effect.result(LaterForksFile.read(laterForks))
  if (Result.isSuccess(read)) return []
  const { detail } = read.failure
  return [{ path: ["networks", name, "laterForks"], problem: `names a file that cannot be used: ${detail}` }]
})

const unusable = (error: DataError | Configuration.ConfigError): string =>
  error._tag === "DataError"
    ? `names a file that cannot be read: ${error.reason}${error.detail === "ENOENT" ? ". A path is relative to this file" : ""}`
    : `names a file that ${error.mistakes.map(({ problem }) => problem).join(", ")}`

/** Maximum number of bytes of a configuration. No real configuration is as large. */
const MAX_BYTES = 4 * 1024 * 1024

const mistake = (file: string | null, path: string, problem: string): Configuration.ConfigError =>
  new Configuration.ConfigError({ file, mistakes: [{ path, problem, line: null, column: null, variable: null }] })
