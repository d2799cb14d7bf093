/** Programs to paste, one at a time. */
import "./programs.css"
import { Tabs } from "@base-ui/react/tabs"

import { Covered } from "../admin/ShownOnce.tsx"
import { Copied } from "../look/Hash.tsx"
import type { Explained } from "./ProgramParts.ts"

const NO_SECRETS: ReadonlyArray<string> = []

/**
 * The tabs. Secrets in a program are highlighted, so that the reader sees which parts must stay private. The one that is
 * covered is copied all the same.
 */
export const ProgramList = ({
  covered,
  label,
  programs,
  secrets = NO_SECRETS
}: {
  readonly label: string
  readonly programs: ReadonlyArray<Explained>
  readonly secrets?: ReadonlyArray<string>
  readonly covered?: string | undefined
}) => (
  <Tabs.Root defaultValue={programs[0]?.name}>
    <Tabs.List className="tabs" aria-label={label}>
      {programs.map(({ name }) => (
        <Tabs.Tab key={name} value={name}>
          {name}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {programs.map(({ how, name, text }) => (
      <Tabs.Panel key={name} value={name} className="snippet">
        <p className="small soft">
          <span>{how}</span>
          <Copied text={text} label="Copy" isSecret />
        </p>
        {/* focusable, so that the keyboard can scroll long lines */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre tabIndex={0}>
          {secrets.length === 0 ? text : <Marked text={text} secrets={secrets} covered={covered} />}
        </pre>
      </Tabs.Panel>
    ))}
  </Tabs.Root>
)

const Marked = ({
  covered,
  secrets,
  text
}: {
  readonly text: string
  readonly secrets: ReadonlyArray<string>
  readonly covered: string | undefined
}) => {
  const escaped = secrets.map((secret) => secret.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&"))
  const parts = text.split(new RegExp(`(${escaped.join("|")})`, "u"))
  // splitting at a group gives text and matches in turn
  return parts.map((part, i) =>
    i % 2 === 1 ? (
      // oxlint-disable-next-line react/no-array-index-key
      <mark key={i}>{part === covered ? <Covered /> : part}</mark>
    ) : (
      part
    )
  )
}
