/**
 * The spirit level of a node: its bubble is in the middle if the node is up, to the side if it lags, and absent if it
 * is down or lies.
 */

import type { NodeStatus } from "@plumbline/gateway-admin/api/AdminModel"
import * as StatusProblems from "@plumbline/gateway-admin/api/StatusProblems"

/** The states of a node, as the admin API names them. */
export type NodeState = NodeStatus["state"]

/** Returns the state in words. */
export const levelWord = (state: NodeState, behind: number | null): string =>
  state === "up" && behind !== null && behind > 0 ? `${behind} behind` : StatusProblems.stateWord(state)

/** Shows the level of a node, and its state in words. */
export const Level = ({ behind, state }: { readonly state: NodeState; readonly behind: number | null }) => {
  const aside = state === "untried" ? undefined : Math.min(12, behind ?? 0)
  return (
    <span className={state === "lies" ? "level lied" : "level"}>
      <svg viewBox="0 0 44 14" width="44" height="14" aria-hidden="true">
        <rect x="0.7" y="1.7" width="42.6" height="10.6" rx="5.3" />
        <path d="M16 2v10M28 2v10" />
        {state === "up" && aside !== undefined ? <ellipse cx={22 + aside} cy="7" rx="5" ry="3.4" /> : null}
      </svg>
      {state === "lies" ? <b>{levelWord(state, behind)}</b> : levelWord(state, behind)}
    </span>
  )
}
