/** The engines under test, on the platforms that run them. */
import { Bls, BlstEngine } from "@plumbline/beacon-light-client"
import { Effect, Result } from "effect"

/** Platforms for which the native package brings a binary. */
const withBinary = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"]

const blst = await Effect.runPromise(Effect.result(BlstEngine.make(() => import("@chainsafe/blst"))))

/** True where the native engine must start. */
export const isNative = withBinary.includes(`${process.platform}-${process.arch}`)

/** The default engine, and the native one where it must start. */
export const engines: ReadonlyArray<Bls.Engine> = [Bls.noble, ...(isNative ? [Result.getOrThrow(blst)] : [])]

/** The fastest of them, for tests of other things. */
export const fastest: Bls.Engine = engines.at(-1)!
