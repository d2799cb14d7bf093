/** The hook that reads the newest block numbers of networks. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { useEffect, useState } from "react"

import { NetworkClients } from "../chain/NetworkClients.ts"
import { read } from "../chain/ReadAtoms.ts"
import { registry } from "../look/useAtom.ts"

const headOf = Atom.family((network: string) =>
  read(
    { network },
    Effect.flatMap(NetworkClients, ({ eth }) => eth.blockNumber)
  )
)

/** Returns the numbers that are known so far, by network. Each network is asked when it is first named. */
export const useHeads = (networks: ReadonlyArray<string>): ReadonlyMap<string, bigint> => {
  const [heads, setHeads] = useState<ReadonlyMap<string, bigint>>(new Map())
  const names = networks.join(" ")
  useEffect(() => {
    if (names === "") return undefined
    const ends = names.split(" ").map((network) => {
      const atom = headOf(network)
      // an earlier answer may be that of an older block
      registry.refresh(atom)
      return registry.subscribe(
        atom,
        (result) => {
          const head = Option.getOrUndefined(AsyncResult.value(result))
          if (head !== undefined && !result.waiting) setHeads((heads) => new Map(heads).set(network, head))
        },
        { immediate: true }
      )
    })
    return () => {
      for (const end of ends) end()
    }
  }, [names])
  return heads
}
