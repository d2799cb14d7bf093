/** The nodes that lied within the last hour: since when, how often, if they are trusted, and the way to the rest. */
import type { RecentLiar } from "../chain/ConsoleNetworks.ts"
import { grouped, short } from "../look/TextFormats.ts"
import { useNow } from "../look/useNow.ts"
import { EACH_PROVEN, orderText, timesOf, trustText } from "../overview/lieWords.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { NODES_THAT_LIED } from "../route/panels.ts"

const LiarList = ({ liars }: { readonly liars: ReadonlyArray<RecentLiar & { readonly network: string }> }) => {
  const at = useNow()
  const hasDrill = liars.some(({ drill }) => drill !== null)
  return (
    <section className="sheet inset mb-4 stack recent-lies" aria-label="Nodes that lied within the last hour">
      {liars.map((liar) => (
        <p key={`${liar.network} ${liar.node} ${liar.drill?.at}`}>
          {liar.drill === null ? null : <b>Drill: </b>}
          {liar.drill === null ? "The" : "the"} node{" "}
          <b className={liar.drill === null ? "lied" : undefined}>{liar.node}</b> of {liar.network} lied{" "}
          {liar.count === 1 ? "once" : `${grouped(liar.count)} times`} {timesOf(liar.firstAt, liar.lastAt, at)}
          {liar.drill === null ? "" : `, by an operator's order given ${orderText(liar.drill, at)}`}. The check “
          {liar.check}” refuted its last such answer to <code>{liar.method}</code>
          {liar.block === null ? "" : `, about block ${grouped(liar.block.number)}`}
          {liar.block?.hash == null ? "" : <code title={liar.block.hash}> {short(liar.block.hash)}</code>}. The node is{" "}
          <b>{trustText(liar, at, liar.drill)}</b>.
        </p>
      ))}
      <p className="soft">
        No caller got a lie. {EACH_PROVEN}{" "}
        <a href={`${ConsoleRoute.link({ _tag: "Overview" }).href}#${NODES_THAT_LIED}`}>Nodes that lied</a> shows what{" "}
        {liars.length === 1 ? "it" : "they"} said, what was right, and whose calls were refused.
        {hasDrill ? (
          <>
            {" "}
            <a href={ConsoleRoute.link({ _tag: "Audit" }).href}>Audit</a> names the operator who gave the order.
          </>
        ) : null}
      </p>
    </section>
  )
}

export default LiarList
