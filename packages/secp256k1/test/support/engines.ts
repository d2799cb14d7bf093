/** The engines under test, on the platforms that run them. */
import { SenderRecovery } from "@plumbline/eth-methods"
import { FastRecovery, NativeRecovery } from "@plumbline/secp256k1"
import { Effect, Result } from "effect"

/** Platforms for which the native package has a binary. */
const withBinary = ["linux-x64", "darwin-arm64", "win32-x64"]

const native = await Effect.runPromise(Effect.result(NativeRecovery.make))

/** True if the native engine must start on this platform. */
export const isNative = withBinary.includes(`${process.platform}-${process.arch}`)

/** All engines: the default, the one in JavaScript, native where it must start, and the one that `FastRecovery` chooses. */
export const engines: ReadonlyArray<readonly [name: string, engine: SenderRecovery.RecoveryEngine]> = [
  ["default", SenderRecovery.standard],
  ["JavaScript", SenderRecovery.noble],
  ...(isNative ? [["native", Result.getOrThrow(native)] as const] : []),
  ["fastest", await Effect.runPromise(FastRecovery.make)]
]
