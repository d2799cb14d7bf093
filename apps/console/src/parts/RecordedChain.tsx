/** The reason why a block of an embedded chain is old: the chain is a recorded example. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useState } from "react"

import * as PageSession from "../chain/PageSession.ts"
import { useAtom } from "../look/useAtom.ts"

/** Milliseconds after which a block of an embedded chain is one that the service came with. */
const MADE_BEFORE = 86_400_000

/** True for a block that the service came with. `seconds` is the block's time. */
export const isRecorded = (isEmbedded: boolean, seconds: bigint | undefined, now: number): boolean =>
  isEmbedded && seconds !== undefined && now - Number(seconds) * 1000 > MADE_BEFORE

/** Shows its children for a block that the service came with, and nothing for others. Default: a few words. */
export const RecordedChain = ({
  children = "recorded example chain",
  network,
  seconds
}: {
  readonly network: string
  readonly seconds: bigint | undefined
  readonly children?: string
}) => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const [now] = useState(Date.now)
  // only an embedded network can be read without a key
  const isEmbedded = start?.networks.find(({ name }) => name === network)?.open === true
  return isRecorded(isEmbedded, seconds, now) ? <span className="soft recorded">{children}</span> : null
}
