/** Lets an embedded node lie for a minute, reads a block from it, and shows what the caller got. */
import { useState } from "react"

import { registry } from "../look/useAtom.ts"
import { useNow } from "../look/useNow.ts"
import * as OverviewFigures from "./overviewFigures.ts"

/** The outcome of the click: the answer to a caller of the lying node, or the reason why the node does not lie. */
interface Outcome {
  readonly isLie: boolean
  readonly text: string
}

/** The button. While the node lies, the time that is left is in its place. */
export const LetItLie = ({ end, network }: { readonly end: number; readonly network: string }) => {
  const seconds = Math.ceil((end - useNow()) / 1000)
  const isLying = seconds > 0
  const [outcome, tell] = useState<Outcome | undefined>(undefined)
  const begin = (): void => {
    tell(undefined)
    void lieOnce(network).then(tell, (error: unknown) => tell({ isLie: false, text: String(error) }))
  }
  return (
    <span className="lets-lie">
      {isLying ? (
        <b className="lied">It lies for another {seconds} s.</b>
      ) : (
        <button type="button" className="plain small" onClick={begin}>
          Let it lie for a minute
        </button>
      )}{" "}
      <span className="small soft" role="status">
        {outcome?.isLie === isLying
          ? outcome.text
          : `Callers of ${network} are refused its lies${isLying ? "" : " meanwhile"}.`}
      </span>
    </span>
  )
}

/** Begins the lie, and asks the service for a block, as a caller would. */
const lieOnce = async (network: string): Promise<Outcome> => {
  const begun = await fetch(`/console/api/lie/${network}`, { method: "POST", headers: { "x-plumbline-console": "1" } })
  registry.refresh(OverviewFigures.lieEnds)
  if (!begun.ok) return { isLie: false, text: await begun.text() }
  const answer = await fetch(`/console/api/read/${network}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] })
  })
  const { error } = (await answer.json()) as { readonly error?: { readonly message?: string } }
  const text =
    error?.message === undefined
      ? "The caller got an answer."
      : `The caller got an error in place of the lie: ${error.message}`
  return { isLie: true, text }
}
