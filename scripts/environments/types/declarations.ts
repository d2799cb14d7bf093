/**
 * A library on top of the packages emits its declarations, and a program uses the library. Each version of TypeScript
 * compiles the program against the declarations that each other version emitted.
 */
import * as Place from "../place.ts"
import type { Tool } from "../toolVersions.ts"
import * as Strictest from "./strictest.ts"

const compilers: ReadonlyArray<Tool> = ["typescript-5.9", "typescript-6", "typescript-7"]

/** A library without any type annotation, so that the compiler writes out every type. */
const LIBRARY = `import * as Address from "@plumbline/codec/value/Address"
import { EthClient, EthMethods, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { IpfsClient } from "@plumbline/ipfs-client"
import { HttpTransport, PromiseClient } from "@plumbline/jsonrpc-core"
import { ContractStorage, Erc20 } from "@plumbline/storage-layout"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const url = "https://node.example/v3/key"
export const client = PromiseClient.create({ url, group: EthMethods.group })
export const eth = EthClient.layer().pipe(Layer.provide(HttpTransport.layer({ url })))
export const proven = VerdictEthClient.layer().pipe(Layer.provide([HttpTransport.layer({ url }), TrustedBlock.layerNone()]))
export const ipfs = IpfsClient.make({ url })
export const address = Address.fromHex("0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984")
export const block = VerdictEthClient.VerdictEthClient.use((eth) => eth.getBlockByNumber("latest"))
export const supply = Effect.gen(function* () {
  const storage = yield* ContractStorage.ContractStorage
  const token = { address: yield* Effect.fromResult(address), layout: Erc20.uni.layout }
  return yield* storage.readMany(token, ["totalSupply", "minter"])
})
`

/** A program that depends on the library's types. It does not compile if one of them became `any`. */
const PROGRAM = `import * as Library from "LIBRARY"
type IsAny<A> = 0 extends 1 & A ? true : false
type Inner<E> = E extends import("effect/Effect").Effect<infer A, infer F, infer R> ? [A, F, R] : never
type Tests = [
  IsAny<typeof Library.client>, IsAny<typeof Library.eth>, IsAny<typeof Library.proven>, IsAny<typeof Library.ipfs>,
  IsAny<typeof Library.address>, IsAny<Inner<typeof Library.block>[0]>, IsAny<Inner<typeof Library.block>[1]>,
  IsAny<Inner<typeof Library.block>[2]>, IsAny<Inner<typeof Library.supply>[0]>, IsAny<Inner<typeof Library.supply>[1]>
]
export const tests: Tests = [false, false, false, false, false, false, false, false, false, false]
declare const read: Inner<typeof Library.supply>[0]
// @ts-expect-error: a verdict is VERIFIED or CLAIMED, and nothing else
export const tag: "OTHER" = read._tag
`

export const declarations: Place.Environment = {
  name: "declarations",
  about: "declarations emitted and used, by 3 versions",
  isFast: false,
  run: async (place) => {
    await Place.begin(place)
    const install = await Place.npmInstall(place)
    Place.write(place, "library/index.ts", LIBRARY)
    const [, program] = await Place.timed(async () => {
      for (const emitter of compilers) {
        const emit = {
          declaration: true,
          emitDeclarationOnly: true,
          noEmit: false,
          outDir: `emitted/${emitter}`,
          rootDir: "library"
        }
        const { allowImportingTsExtensions: _, ...options } = Strictest.options(emit) as Record<string, unknown>
        Strictest.config(place, `emit.${emitter}.json`, options, ["library/*.ts"])
        Strictest.expectNone(await Strictest.compile(place, emitter, `emit.${emitter}.json`))
        Place.write(place, `program.${emitter}.ts`, PROGRAM.replace("LIBRARY", `./emitted/${emitter}/index.js`))
      }
      Strictest.config(place, "tsconfig.json", Strictest.options(), ["program.*.ts"])
      for (const user of compilers) Strictest.expectNone(await Strictest.compile(place, user, "tsconfig.json"))
    })
    return { installed: Place.sizeOf(place), install, program, said: "9 pairs of emitter and user" }
  }
}
