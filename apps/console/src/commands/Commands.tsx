/** The screen of the IPFS commands. Each has a form, then the request, the answer and its verdict, in one column. */
import "../ipfs/ipfs.css"
import "../playground/playground.css"
import "./commands.css"
import { StatePanel } from "../look/StatePanel.tsx"
import { Found } from "../playground/Found.tsx"
import * as Place from "../route/Place.ts"
import { Ask } from "./Ask.tsx"
import * as Command from "./Command.ts"

const Commands = ({ place }: { readonly place: Place.Commands }) => {
  const command = Command.all.find(({ name }) => name === place.command)
  return (
    <div className="page playground">
      {command !== undefined ? (
        <Ask key={`${command.name} ${place.params ?? ""}`} place={place} command={command} />
      ) : place.command === undefined ? (
        <All />
      ) : (
        <StatePanel
          kind="No such command"
          title={`IPFS has no command ${place.command} here`}
          text="The table of commands is that of the service."
        >
          <a className="button primary" href={Place.link({ _tag: "Commands" }).href}>
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
      <a href={Place.link({ _tag: "Ipfs" }).href} className="small">
        Files and pins
      </a>
    </div>
    <Found
      noun="command"
      placeholder={`Find one of ${Command.all.length} commands: add, pin, graph`}
      searchesBy="by name or by what it does"
      search={Command.search}
      hrefOf={({ name }) => Place.link({ _tag: "Commands", command: name }).href}
      remark={({ verification }) => PROOFS[verification]}
    />
  </>
)

/** The part of an answer that a CID covers. */
const PROOFS: Readonly<Record<Command.Described["verification"], string>> = {
  proven: "proven by its CID",
  partial: "partly proven",
  claimed: "no proof"
}

export default Commands
