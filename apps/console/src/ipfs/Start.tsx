/** The first page of IPFS: add files, open a CID, and the pins and limits of the key's project. */
import { useState } from "react"

import * as Session from "../chain/Session.ts"
import { StatePanel } from "../look/StatePanel.tsx"
import { registry, setAtom, useAtom } from "../look/useAtom.ts"
import { AccessForm } from "../parts/KeyForm.tsx"
import { Reading } from "../parts/Reading.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import * as Place from "../route/Place.ts"
import * as Router from "../route/Router.ts"
import * as TypedText from "../route/TypedText.ts"
import { Add } from "./Add.tsx"
import { Limits } from "./Limits.tsx"
import { Pins } from "./Pins.tsx"
import * as Store from "./Store.ts"
import { tell } from "./Trouble.tsx"

/** The page. */
export const Start = () => {
  const start = useAtom(Session.start)
  const access = useAtom(Session.access)
  const [changes, setChanges] = useState(0)
  return (
    <Reading result={start} what="the service" again={() => registry.refresh(Session.start)}>
      {({ ipfs, ipfsOpen }) => {
        if (!ipfs) {
          const { kind, text, title } = tell(new Store.NoIpfs())
          return (
            <StatePanel kind={kind} title={title} text={text}>
              <a className="button primary" href="/console/">
                Go to the explorer
              </a>
            </StatePanel>
          )
        }
        return (
          <div className="page">
            <div className="lead">
              <div>
                <h1>IPFS</h1>
                <p className="soft">The name of content is its hash. This page hashes every block again to check it.</p>
              </div>
              <a className="small" href={Place.link({ _tag: "Commands" }).href}>
                All commands
              </a>
            </div>
            <div className="split">
              <div className="column">
                <Add access={access} onAdded={() => setChanges(changes + 1)} />
                <Pins key={`${access === undefined} ${changes}`} access={access} />
              </div>
              <aside className="column">
                <OpenCid />
                {access === undefined ? (
                  <section className="sheet inset stack">
                    <h2>Key</h2>
                    <p className="soft">
                      {ipfsOpen
                        ? "Blocks are read without a key on this machine. To add and to pin, enter an API key and its secret."
                        : "Enter an API key and its secret to read, to add and to pin."}{" "}
                      <code>plumbline up</code> shows both.
                    </p>
                    <AccessForm />
                    <p className="small quiet">They stay in the memory of this page, and are gone after a reload.</p>
                  </section>
                ) : (
                  <Limits key={changes} access={access}>
                    <button type="button" className="plain small" onClick={() => setAtom(Session.access, undefined)}>
                      Forget the key
                    </button>
                  </Limits>
                )}
              </aside>
            </div>
          </div>
        )
      }}
    </Reading>
  )
}

const OpenCid = () => {
  const [text, setText] = useState("")
  const asked = text.trim()
  const [isAsked, ask] = useState(false)
  return (
    <section className="sheet inset stack">
      <h2>Open a CID</h2>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const content = Place.contentOf(asked)
          if (content === undefined) ask(true)
          else Router.go(content)
        }}
      >
        <TypedField
          id="cid"
          aria-label="CID, with a path if you like"
          placeholder="bafy…/folder/file"
          value={text}
          onText={setText}
          problem={isAsked ? TypedText.contentProblem(asked) : undefined}
        />
        <p className="row">
          <button type="submit" className="button">
            Open
          </button>
        </p>
      </form>
    </section>
  )
}
