/** The commands of IPFS: each as a form, then the request, the answer and its verdict, in one column. */
import "../ipfs/ipfs.css"
import "../playground/playground.css"
import "./commands.css"
import { useState } from "react"

import { StatePanel } from "../look/StatePanel.tsx"
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

/** The commands with their search. */
const All = () => {
  const [text, setText] = useState("")
  const found = Command.search(text)
  return (
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
      <input
        className="field find"
        type="search"
        aria-label="Find a command"
        placeholder={`Find one of ${Command.all.length} commands: add, pin, graph`}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {found.length === 0 ? (
        <StatePanel kind="Nothing found" title={`No command fits “${text}”`} text="Search by name or by what it does.">
          <button type="button" className="button primary" onClick={() => setText("")}>
            Show all commands
          </button>
        </StatePanel>
      ) : (
        [...Map.groupBy(found, ({ topic }) => topic)].map(([topic, some]) => (
          <section key={topic} className="sheet">
            <header>
              <h2>{topic}</h2>
            </header>
            <ul className="methods">
              {some.map(({ doc, name, verification }) => (
                <li key={name}>
                  <a href={Place.link({ _tag: "Commands", command: name }).href} className="mono">
                    {name}
                  </a>
                  <span className="soft">{doc}</span>
                  <span className="small quiet">{PROOFS[verification]}</span>
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
    </>
  )
}

/** The part of an answer that a CID covers. */
const PROOFS: Readonly<Record<Command.Described["verification"], string>> = {
  proven: "proven by its CID",
  partial: "partly proven",
  claimed: "no proof"
}

export default Commands
