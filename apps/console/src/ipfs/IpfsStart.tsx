/** The first page of IPFS: add files, open a CID, and the pins and limits of the key's project. */
import { useState } from "react"

import { AccessForm } from "../access/AccessForm.tsx"
import * as PageSession from "../chain/PageSession.ts"
import { StatePanel } from "../look/StatePanel.tsx"
import { registry, setAtom, useAtom } from "../look/useAtom.ts"
import { ReadState } from "../parts/ReadState.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as TypedText from "../route/TypedText.ts"
import { AddFilesForm } from "./AddFilesForm.tsx"
import { IpfsLimits } from "./IpfsLimits.tsx"
import * as IpfsStore from "./IpfsStore.ts"
import { tell } from "./IpfsTrouble.tsx"
import { PinnedFiles } from "./PinnedFiles.tsx"
import * as Pins from "./Pins.ts"

/** The page. */
export const IpfsStart = () => {
  const start = useAtom(PageSession.start)
  const access = useAtom(PageSession.access)
  const [changes, setChanges] = useState(0)
  return (
    <ReadState result={start} what="the service" again={() => registry.refresh(PageSession.start)}>
      {({ ipfs, ipfsOpen }) => {
        if (!ipfs) {
          const { kind, text, title } = tell(new IpfsStore.NoIpfsError())
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
              <a className="small" href={ConsoleRoute.link({ _tag: "Commands" }).href}>
                All commands
              </a>
            </div>
            <div className="split">
              <div className="column">
                <AddFilesForm
                  access={access}
                  onAdded={() => {
                    registry.refresh(Pins.list)
                    setChanges(changes + 1)
                  }}
                />
                {access === undefined ? null : <PinnedFiles access={access} />}
              </div>
              <aside className="column">
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
                  <IpfsLimits key={changes} access={access}>
                    <button
                      type="button"
                      className="plain small"
                      onClick={() => setAtom(PageSession.access, undefined)}
                    >
                      Forget the key
                    </button>
                  </IpfsLimits>
                )}
                <OpenCid />
              </aside>
            </div>
          </div>
        )
      }}
    </ReadState>
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
          const content = ConsoleRoute.contentOf(asked)
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
