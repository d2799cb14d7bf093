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
  const [added, setAdded] = useState<ReadonlyArray<string>>([])
  const [isWaiting, setWaiting] = useState(false)
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
                  onWaiting={setWaiting}
                  onAdded={(cid) => {
                    registry.refresh(Pins.list)
                    setAdded([...added, cid])
                  }}
                />
                {access === undefined ? (
                  <NoFiles ipfsOpen={ipfsOpen} isWaiting={isWaiting} />
                ) : (
                  <PinnedFiles access={access} added={added.at(-1)} />
                )}
              </div>
              <aside className="column">
                {access === undefined ? null : (
                  <IpfsLimits key={added.length} access={access}>
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

/** The place of the list of files, for a page without a key. While files wait for a key, the form is beside them. */
const NoFiles = ({ ipfsOpen, isWaiting }: { readonly ipfsOpen: boolean; readonly isWaiting: boolean }) => (
  <section className="sheet inset stack">
    <h2>Files</h2>
    {isWaiting ? (
      <p className="soft">The files of your project are listed here, once the key above is entered.</p>
    ) : (
      <>
        <p className="soft">
          {ipfsOpen ? "Blocks are read without a key on this machine. " : ""}
          To see your project&apos;s files{ipfsOpen ? "" : ", to read"}, to add and to pin, enter an API key and its
          secret. <code>plumbline up</code> shows both.
        </p>
        <AccessForm />
        <p className="small quiet">
          The key is asked for again after a reload, because it stays in the memory of this page alone. The files stay.
        </p>
      </>
    )}
  </section>
)

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
