/** The engines under test, on the platforms that run them. */
import { SenderRecovery } from "@plumbline/eth-methods"
import { FastRecovery, NativeRecovery, WasmRecovery } from "@plumbline/secp256k1"
import { Effect, Result } from "effect"

/** Platforms for which the native package brings a binary. */
const withBinary = ["linux-x64", "darwin-arm64", "win32-x64"]

const native = await Effect.runPromise(Effect.result(NativeRecovery.make))

/** True where the native engine must start. */
export const isNative = withBinary.includes(`${process.platform}-${process.arch}`)

/** All engines: the default one, WebAssembly, the native one where it must start, and the fastest of them. */
export const engines: ReadonlyArray<readonly [name: string, engine: SenderRecovery.Engine]> = [
  ["default", SenderRecovery.noble],
  ["WebAssembly", await Effect.runPromise(WasmRecovery.make)],
  ...(isNative ? [["native", Result.getOrThrow(native)] as const] : []),
  ["fastest", await Effect.runPromise(FastRecovery.make)]
]
