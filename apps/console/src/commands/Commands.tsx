/** The screen of the IPFS commands. Each has a form, then the request, the answer and its verdict, in one column. */
import "../ipfs/ipfs.css"
import "../playground/playground.css"
import "./commands.css"
import { StatePanel } from "../look/StatePanel.tsx"
import { SearchList } from "../playground/SearchList.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as CommandForms from "./CommandForms.ts"
import { CommandPanel } from "./CommandPanel.tsx"

const Commands = ({ place }: { readonly place: ConsoleRoute.CommandsRoute }) => {
  const command = CommandForms.all.find(({ name }) => name === place.command)
  return (
    <div className="page playground">
      {command !== undefined ? (
        <CommandPanel key={`${command.name} ${place.params ?? ""}`} place={place} command={command} />
      ) : place.command === undefined ? (
        <All />
      ) : (
        <StatePanel
          kind="No such command"
          title={`IPFS has no command ${place.command} here`}
          text="The table of commands is that of the service."
        >
          <a className="button primary" href={ConsoleRoute.link({ _tag: "Commands" }).href}>
            All commands
          </a>
        </StatePanel>
      )}
    </div>
  )
}

/** The commands, and a search for them. */
const All = () => (
  <>
    <div className="lead">
      <div>
        <p className="value-name">IPFS</p>
        <h1>Run a command, and see what its CID proves</h1>
      </div>
      <a href={ConsoleRoute.link({ _tag: "Ipfs" }).href} className="small">
        Files and pins
      </a>
    </div>
    <SearchList
      noun="command"
      placeholder={`Find one of ${CommandForms.all.length} commands: add, pin, graph`}
      searchesBy="by name or by what it does"
      search={CommandForms.search}
      hrefOf={({ name }) => ConsoleRoute.link({ _tag: "Commands", command: name }).href}
      remark={({ verification }) => PROOFS[verification]}
    />
  </>
)

/** The part of an answer that a CID covers. */
const PROOFS: Readonly<Record<CommandForms.DescribedCommand["verification"], string>> = {
  proven: "proven by its CID",
  partial: "partly proven",
  claimed: "no proof"
}

export default Commands
