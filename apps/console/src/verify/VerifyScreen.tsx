/** Verifies a proof bundle from a file in the page, without any request. */
import "./verify.css"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ReactNode, Suspense, use, useEffect, useMemo, useState } from "react"

import type * as GatherEvidence from "../chain/GatherEvidence.ts"
import { Hash } from "../look/Hash.tsx"
import { Table, TableRow } from "../look/Table.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { VerdictChip, type VerdictName } from "../look/VerdictMark.tsx"
import { BlockPicture } from "../parts/BlockPicture.tsx"
import { DropTarget } from "../parts/DropTarget.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import type * as CompilerFiles from "../variables/CompilerFiles.ts"
import { Microscope } from "./BundleMicroscope.ts"
import { KeptCall } from "./KeptCall.tsx"
import * as OpenBundle from "./OpenBundle.ts"

/** Maximum size of a file in bytes, which is the limit of a bundle. */
const MAX_FILE = 64 * 1024 * 1024

/** The bytes of a bundle, and the layout that names its values, if there is one. */
export interface GivenBundle {
  readonly name: string
  readonly bytes: Uint8Array
  readonly layout?: { readonly name: string; readonly layout: Layout } | undefined
}

/**
 * The screen. `given` is a bundle from another part of the page; `beside` is shown next to the drop area, as another
 * way to open a bundle. `compilerFiles` reads dropped layouts: the single file contains it, and the site loads it after the
 * first rendering.
 */
const Verify = ({
  beside,
  compilerFiles,
  given
}: {
  readonly given?: GivenBundle | undefined
  readonly beside?: ReactNode
  readonly compilerFiles: typeof CompilerFiles | Promise<typeof CompilerFiles>
}) => {
  const [dropped, setFile] = useState<GivenBundle | undefined>(undefined)
  const file = dropped ?? given
  const [chosen, setLayout] = useState<{ readonly name: string; readonly layout: Layout } | undefined>(undefined)
  const layout = chosen ?? file?.layout
  const [trusted, setTrusted] = useState<Hash32.Hash32 | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const take = async (given: File): Promise<void> => {
    setProblem(undefined)
    if (given.size > MAX_FILE)
      setProblem(`${given.name} has ${grouped(given.size)} bytes. A bundle has at most ${grouped(MAX_FILE)}.`)
    else if (/\.json$/iu.test(given.name)) {
      const { read: readFiles } = await compilerFiles
      const read = readFiles(given.name, await given.text())
      const [first, second] = Result.isSuccess(read) ? read.success : []
      if (Result.isFailure(read)) setProblem(read.failure)
      else if (first === undefined || second !== undefined) {
        setProblem(`${given.name} has ${count(read.success.length, "contract")}. Drop the artifact of one contract.`)
      } else setLayout({ name: given.name, layout: first.layout })
    } else setFile({ name: given.name, bytes: new Uint8Array(await given.arrayBuffer()) })
  }
  const opened = useMemo(
    () => (file === undefined ? undefined : OpenBundle.open(file.name, file.bytes, trusted)),
    [file, trusted]
  )
  return (
    <div className="page">
      {problem === undefined ? null : (
        <p role="alert" className="sheet inset problem mb-4">
          {problem}
        </p>
      )}
      {opened === undefined ? (
        <>
          <div className="lead">
            <div>
              <h1>Verify a bundle</h1>
              <p className="soft">
                A bundle holds values of one block with their proofs. Every hash is checked in this page.
              </p>
            </div>
            <NetworkCut />
          </div>
          <DropTarget
            title="Drop a bundle here"
            text="A CAR file, and if you have it the layout of the contract. They stay on this device."
            accept=".car,.json"
            onFile={take}
          >
            <p className="small quiet mt-4">
              Make one: <code>plumbline prove &lt;address&gt; [path] --layout &lt;file&gt; -o bundle.car</code>
            </p>
          </DropTarget>
          {beside}
        </>
      ) : (
        <div className="split">
          <Outcome opened={opened} trusted={trusted} layout={layout?.layout} onTrust={setTrusted} />
          <aside className="column">
            <div className="sheet inset">
              <NetworkCut />
            </div>
            <DropTarget
              isSmall
              title="Drop another bundle, or a layout"
              text="A layout of the contract gives the values their names."
              accept=".car,.json"
              onFile={take}
            />
            <About opened={opened} trusted={trusted} layout={layout?.name} onTrust={setTrusted} />
          </aside>
        </div>
      )}
    </div>
  )
}

/**
 * Shows the drawing of a cut cable, and the number of requests since the page was loaded. Other parts of the page make
 * requests too, such as those of a session.
 */
const NetworkCut = () => {
  const [requests, setRequests] = useState(0)
  useEffect(() => {
    const seen = new PerformanceObserver((list) => setRequests((before) => before + list.getEntries().length))
    seen.observe({ type: "resource", buffered: false })
    return () => seen.disconnect()
  }, [])
  return (
    <div className="cut">
      <svg viewBox="0 0 76 16" width="76" height="16" aria-hidden="true">
        <path d="M0 8h26M26 4v8M30 6h4M30 10h4M48 8h28M48 4v8" />
      </svg>
      <div>
        <b>{requests === 0 ? "No network used" : "Checking takes no network"}</b>
        <p className="small soft">
          {count(requests, "request")} since this screen was opened
          {requests === 0 ? "" : ", made by other parts of this page"}
        </p>
      </div>
    </div>
  )
}

const Outcome = ({
  layout,
  onTrust,
  opened,
  trusted
}: {
  readonly opened: OpenBundle.OpenedBundle
  readonly trusted: Hash32.Hash32 | undefined
  readonly layout: Layout | undefined
  readonly onTrust: (hash: Hash32.Hash32) => void
}) => {
  const { bundle, root, sections, size } = opened
  const isWhole = Result.isSuccess(bundle)
  const word: VerdictName = !isWhole ? "REFUTED" : trusted === undefined ? "CLAIMED" : "VERIFIED"
  const tone = word.toLowerCase()
  const broken = isWhole ? -1 : sections.findIndex(({ digest, named }) => digest !== named)
  return (
    <div>
      <section className="sheet">
        <div className={`verdict-head ${tone}`}>
          <Hung word={word} />
          <div>
            <h1>
              {
                { VERIFIED: "The bundle is true", CLAIMED: "The bundle is whole", REFUTED: "The bundle is not true" }[
                  word
                ]
              }
            </h1>
            <p className="soft">
              {word === "REFUTED" && Result.isFailure(bundle) ? (
                bundle.failure.message.slice(0, 300)
              ) : (
                <>
                  {count(sections.length, "block")}, {count(size, "byte")}, every one hashed in this page
                  {root === undefined ? null : (
                    <>
                      {" "}
                      against block <Hash hex={root} />
                    </>
                  )}
                </>
              )}
            </p>
            {word === "CLAIMED" && root !== undefined ? (
              <p className="row wrap mt-3">
                <button type="button" className="button primary" onClick={() => onTrust(root)}>
                  I know this hash: trust it
                </button>
                <span className="small quiet">Until then it hangs from nothing: only the file names the block.</span>
              </p>
            ) : null}
          </div>
          <VerdictChip word={word} />
        </div>
        {isWhole ? (
          <Values
            key={`${opened.name} ${trusted}`}
            bundle={bundle.success}
            layout={layout}
            isTrusted={trusted !== undefined}
          />
        ) : null}
      </section>
      {isWhole && bundle.success.call !== undefined ? <KeptCall call={bundle.success.call} file={opened.name} /> : null}
      <section className="sheet mt-4">
        <header>
          <h2>What is in the file</h2>
          <span className="small soft">
            {broken < 0
              ? `${count(sections.length, "block")}, ${sections.length} hashes checked`
              : `broken at block ${broken + 1} of ${sections.length}`}
          </span>
        </header>
        <BlockPicture sections={sections} broken={broken} tone={tone} />
      </section>
    </div>
  )
}

/** The plumb bob that hangs from the upper edge of the sheet. Its drawing shows the verdict. */
const Hung = ({ word }: { readonly word: VerdictName }) => (
  <svg className="hung" viewBox="0 0 60 120" width="60" height="120" aria-hidden="true">
    {word === "VERIFIED" ? (
      <path fill="currentColor" d="M8 0h44v4H31v48h5v8h12l4 4v10L30 120 8 74V64l4-4h12v-8h5V4H8z" />
    ) : word === "CLAIMED" ? (
      <>
        <path fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="5 4" d="M30 14v42" />
        <path
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeDasharray="5 4"
          d="M12 60h36l4 4v10L30 118 8 74V64z"
        />
      </>
    ) : (
      <>
        <path fill="currentColor" d="M8 0h44v4H31v14l-5 5 7 5-4 5h-3l4-5-7-5 6-6V4H8z" />
        <path
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeDasharray="5 4"
          d="M14 66l34-8 5 3 3 10-14 46-30-38-3-9z"
        />
      </>
    )}
  </svg>
)

/** A value whose proof the reader has opened. */
interface Shown {
  readonly row: OpenBundle.BundleRow
  readonly gathered: GatherEvidence.GatheredEvidence
}

const Values = ({
  bundle,
  isTrusted,
  layout
}: {
  readonly bundle: Parameters<typeof OpenBundle.rowsOf>[0]
  readonly layout: Layout | undefined
  readonly isTrusted: boolean
}) => {
  const microscope = use(Microscope)
  const [rows, setRows] = useState<ReadonlyArray<OpenBundle.BundleRow> | undefined>(undefined)
  const [shown, setShown] = useState<Shown | undefined>(undefined)
  useEffect(() => {
    void Effect.runPromise(Effect.orElseSucceed(OpenBundle.rowsOf(bundle, layout), () => [])).then(setRows)
  }, [bundle, layout])
  const show = (row: OpenBundle.BundleRow): void => {
    if (shown?.row === row) setShown(undefined)
    else
      void Effect.runPromise(OpenBundle.gather(bundle, row.subject, isTrusted)).then((gathered) =>
        setShown({ row, gathered })
      )
  }
  return (
    <>
      <Table
        columns={[
          { name: "Name", className: "mono" },
          "Value",
          { name: "Type", className: "soft" },
          { name: "Proof", className: "end" }
        ]}
      >
        {(rows ?? []).map((row) => (
          <TableRow
            key={row.name}
            cells={[
              row.name,
              <b key="value">{row.value}</b>,
              row.type,
              <button
                key="proof"
                type="button"
                className="plain"
                aria-expanded={shown?.row === row}
                onClick={() => show(row)}
              >
                {shown?.row === row ? "Close the proof" : "Open the proof"}
              </button>
            ]}
          />
        ))}
      </Table>
      {shown === undefined ? null : (
        <Suspense key={shown.row.name}>
          {microscope({
            isOffline: true,
            gathered: shown.gathered,
            layout,
            decoded: { main: shown.row.value, also: shown.row.type, whole: shown.row.value },
            place: { _tag: "Proof", network: "bundle", block: bundle.blockHash, subject: shown.row.subject }
          })}
        </Suspense>
      )}
    </>
  )
}

/** The file, its root, and the hash that the reader trusts. */
const About = ({
  layout,
  onTrust,
  opened,
  trusted
}: {
  readonly opened: OpenBundle.OpenedBundle
  readonly trusted: Hash32.Hash32 | undefined
  readonly layout: string | undefined
  readonly onTrust: (hash: Hash32.Hash32) => void
}) => {
  const [text, setText] = useState("")
  const [isAsked, ask] = useState(false)
  const hash = hashIn(text.trim())
  const { name, root } = opened
  return (
    <section className="sheet">
      <div className="inset">
        <h3>File</h3>
        <p className="soft">{name}</p>
      </div>
      {root === undefined ? null : (
        <div className="inset">
          <h3>Root</h3>
          <p className="whole soft">{root}</p>
        </div>
      )}
      <form
        className="inset stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (hash === undefined) ask(true)
          else onTrust(hash)
        }}
      >
        <h3>You trust</h3>
        {trusted === undefined ? <p className="soft">No hash yet</p> : <Hash hex={trusted} />}
        <TypedField
          id="trusted-hash"
          aria-label="Block hash or CID that you trust"
          placeholder="Block hash, or CID of the bundle"
          value={text}
          onText={setText}
          problem={
            isAsked && hash === undefined ? "This is neither a block's hash nor the CID of a bundle." : undefined
          }
        />
        <p>
          <button type="submit" className="button">
            Trust this hash
          </button>
        </p>
      </form>
      <div className="inset">
        <h3>Layout</h3>
        <p className="soft">
          {layout === undefined
            ? "None. Drop one to see the variables by their names."
            : `${layout}. It gives names and types. It is yours, so no block proves it.`}
        </p>
      </div>
    </section>
  )
}

/** Reads the hash of a block, from hex or from the CID of a bundle. */
const hashIn = (text: string): Hash32.Hash32 | undefined => {
  if (Hash32.isHash32(text)) return Hash32.fromHexUnsafe(text.toLowerCase())
  const cid = Cid.fromText(text)
  if (Result.isFailure(cid) || cid.success.multihash.digest.length !== 32) return undefined
  return Hash32.fromBytesUnsafe(cid.success.multihash.digest)
}

export default Verify
