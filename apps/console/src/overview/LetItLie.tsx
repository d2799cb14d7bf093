/** Lets an embedded node lie for a minute, reads a block from it, and shows what a caller of the node gets. */
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import * as Effect from "effect/Effect"
import { useState } from "react"

import { Permitted } from "../admin/Permitted.tsx"
import { useWork } from "../admin/useWork.ts"
import { registry } from "../look/useAtom.ts"
import { useNow } from "../look/useNow.ts"
import * as OverviewFigures from "./overviewFigures.ts"

/** The button. While the node lies, the time that is left is in its place. */
export const LetItLie = ({ end, network }: { readonly end: number; readonly network: string }) => {
  const seconds = Math.ceil((end - useNow()) / 1000)
  const isLying = seconds > 0
  const { failed, isBusy, run } = useWork()
  const [answer, tell] = useState<string | undefined>(undefined)
  const begin = (): void => {
    tell(undefined)
    run((client) => lieOnce(client, network), tell)
  }
  return (
    <span className="lets-lie">
      {isLying ? (
        <b className="lied">It lies for another {seconds} s.</b>
      ) : (
        <Permitted to="networks.lie" isSilent>
          <button type="button" className="plain small" disabled={isBusy} onClick={begin}>
            Let it lie for a minute
          </button>
        </Permitted>
      )}{" "}
      <span className="small soft" role="status">
        {(isLying ? answer : failed) ??
          `A drill: ${isLying ? "" : "meanwhile "}callers of ${network} get an error in place of each lie, never the lie.`}
      </span>
    </span>
  )
}

/** Begins the lie, and asks the node for a block, as a caller does. Returns a sentence about the answer. */
const lieOnce = Effect.fnUntraced(function* (client: AdminClient, network: string) {
  const params = { id: network }
  yield* client.networks.lie({ params })
  registry.refresh(OverviewFigures.lieEnds)
  const payload = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] } as const
  const answer = yield* client.networks.call({ params, payload })
  const message = "error" in answer ? answer.error?.message : undefined
  return message === undefined
    ? "This page asked the node for its newest block, as a project does, and got an answer that passed the checks."
    : `This page asked the node for its newest block, as a project does, and got an error in place of the lie: ${message}.`
})
