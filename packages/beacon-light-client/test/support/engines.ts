/** The engines under test, on the platforms that run them. */
import { Bls, BlstEngine } from "@plumbline/beacon-light-client"
import { Effect, Result } from "effect"

/** Platforms for which the native package contains a binary. */
const withBinary = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"]

const blst = await Effect.runPromise(Effect.result(BlstEngine.make(() => import("@chainsafe/blst"))))

/** True if the native engine must start on this platform. */
export const isNative = withBinary.includes(`${process.platform}-${process.arch}`)

/** The default engine, and the native engine on platforms where it must start. */
export const engines: ReadonlyArray<Bls.BlsEngine> = [Bls.noble, ...(isNative ? [Result.getOrThrow(blst)] : [])]

/** The fastest engine, for tests that are not about engines. */
export const fastest: Bls.BlsEngine = engines.at(-1)!
