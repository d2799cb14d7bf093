/** An answer that the service refused, because it failed a check: the nodes that lie, and the way to all lies. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"

import * as ConsoleNetworks from "../chain/ConsoleNetworks.ts"
import { StatePanel } from "../look/StatePanel.tsx"
import { useAtom } from "../look/useAtom.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { NODES_THAT_LIED } from "../route/panels.ts"

/** The networks, read again each time that a screen shows such an answer. */
const now = Atom.make(ConsoleNetworks.read)

/** The panel. A page elsewhere than on the service's machine is not told the names of nodes. */
const RefusedAnswer = ({
  again,
  check,
  what
}: {
  /** The check that failed, such as `header hash`. */
  readonly check: string
  readonly what: string
  readonly again: () => void
}) => {
  const found = Option.getOrUndefined(AsyncResult.value(useAtom(now)))
  return (
    <StatePanel
      kind="Refuted answer"
      title={`There is no answer about ${what}`}
      text={
        <>
          <VerdictWord word="REFUTED" />{" "}
          {found?.networks.flatMap(({ liars, name }) =>
            (liars ?? [])
              .filter(({ isLying }) => isLying)
              .map(({ drill, node }) => (
                <span key={`${name} ${node} ${drill?.at}`}>
                  The node <b>{node}</b> of {name} lies{drill === null ? "" : ", by order of an operator"}.{" "}
                </span>
              ))
          )}
          The answer failed the check “{check}”, so the service refused it. No value is shown.
        </>
      }
    >
      <button type="button" className="button primary" onClick={again}>
        Try again
      </button>
      <a className="button" href={`${ConsoleRoute.link({ _tag: "Overview" }).href}#${NODES_THAT_LIED}`}>
        Nodes that lied
      </a>
    </StatePanel>
  )
}

export default RefusedAnswer
