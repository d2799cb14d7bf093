/** The accounts of operators: the admin tokens with their roles, and who has signed in. */
import "../admin/admin.css"
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import * as AdminRole from "@plumbline/gateway-admin/api/AdminRole"
import type { Project } from "@plumbline/gateway/accounts/Account"
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ReactNode, useState } from "react"

import { Choice, Field, textOf } from "../admin/Fields.tsx"
import { Lead, OperatorPage, useDialog } from "../admin/OperatorPage.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"
import { ShownOnce } from "../admin/ShownOnce.tsx"
import { minuteOf } from "../admin/utcTimes.ts"
import { Table, TableRow } from "../look/Table.tsx"
import { count } from "../look/TextFormats.ts"
import type { ReadFailure } from "../parts/ReadState.tsx"
import * as OperatorReads from "./operatorReads.ts"

const Accounts = () => (
  <OperatorPage
    of={OperatorReads.access}
    what="the operators"
    changes="audit"
    every={30_000}
    needs="operators.tokens"
    refused={{ title: "Admin tokens are the owners'", text: "its keys, and who changed it is in the audit log" }}
  >
    {(access, again) => <Access {...access} again={again} />}
  </OperatorPage>
)

/** An end of something that asks first: its words, and the change. */
interface AskedEnd {
  readonly title: string
  readonly confirm: string
  readonly text: string
  readonly change: (client: AdminClient) => Effect.Effect<unknown, ReadFailure>
}

const Access = ({
  again,
  projects,
  sessions,
  tokens
}: {
  readonly tokens: ReadonlyArray<OperatorReads.OperatorToken>
  readonly sessions: ReadonlyArray<OperatorReads.OpenSession>
  readonly projects: ReadonlyArray<Project>
  readonly again: () => void
}) => {
  const { ask, asked, close } = useDialog<AskedEnd | "new">(again)
  // the secret is only in the memory of this screen
  const [made, setMade] = useState<{ readonly label: string; readonly secret: Redacted.Redacted } | undefined>(
    undefined
  )
  const nameOf = (id: string): string => projects.find((project) => project.id === id)?.name ?? id.slice(0, 8)
  return (
    <div className="page operators">
      <Lead
        title="Accounts"
        text={`${count(tokens.length, "admin token")}, ${count(sessions.length, "open session")}.`}
      >
        <button type="button" className="button primary" onClick={() => ask("new")}>
          Create an admin token
        </button>
      </Lead>
      {made === undefined ? null : (
        <ShownOnce
          title={`The admin token “${made.label}”`}
          text="It is shown only now. The service keeps a digest of it."
          putAway="I have kept it"
          values={[{ name: "Admin token", text: Redacted.value(made.secret), isSecret: true }]}
          onHide={() => setMade(undefined)}
        />
      )}
      <Listed
        id="admin-tokens"
        title="Admin tokens"
        label="Table of admin tokens"
        head={["Label", "Role", "Projects", "Expires", "Created by"]}
        rows={tokens.map((token) => tokenRow(token, nameOf))}
        onEnd={ask}
      />
      <Listed
        id="open-sessions"
        title="Signed in"
        label="Table of open sessions"
        head={["Who", "From", "Since", "Until"]}
        rows={sessions.map((session) => sessionRow(session, nameOf))}
        onEnd={ask}
      />
      {asked === "new" ? (
        <NewToken
          projects={projects}
          onClose={close}
          onMade={(label, secret) => {
            setMade({ label, secret })
            close()
          }}
        />
      ) : asked === undefined ? null : (
        <ResourceDialog title={asked.title} confirm={asked.confirm} onClose={close} change={() => asked.change}>
          <p>{asked.text}</p>
        </ResourceDialog>
      )}
    </div>
  )
}

/** A row: its cells, of which the first is the name, and its end, if the service can end it. */
interface ListedRow {
  readonly id: string
  readonly cells: ReadonlyArray<ReactNode>
  readonly end: (AskedEnd & { readonly button: string; readonly label: string }) | undefined
}

const tokenRow = (
  { createdBy, expiresAt, id, label, projects, role }: OperatorReads.OperatorToken,
  nameOf: (id: string) => string
): ListedRow => ({
  id: label,
  cells: [
    label,
    role,
    projects === null ? "all" : projects.map(nameOf).join(", "),
    expiresAt === null ? "never" : minuteOf(expiresAt),
    createdBy ?? "configuration"
  ],
  end:
    id === null
      ? undefined
      : {
          button: "Revoke",
          label: `Revoke ${label}`,
          title: `Revoke the admin token ${label}`,
          confirm: "Revoke",
          text: "Requests with it are refused within a second, and its sessions end. This cannot be undone.",
          change: (client) => client.operators.revoke({ params: { id } })
        }
})

const sessionRow = (session: OperatorReads.OpenSession, nameOf: (id: string) => string): ListedRow => {
  const { address, begunAt, endsAt, id, label, project } = session
  const who = label ?? `project ${nameOf(project ?? "")}`
  return {
    id,
    cells: [who, <code key="from">{address ?? ""}</code>, minuteOf(begunAt), minuteOf(endsAt)],
    end: {
      button: "End",
      label: `End the session of ${who} since ${minuteOf(begunAt)}`,
      title: `End the session of ${who}`,
      confirm: "End it",
      text: "The page must sign in again. Its admin token, key or identity stays as it is.",
      change: (client) => client.operators.end({ params: { id } })
    }
  }
}

/** A sheet with a table, whose rows can end. */
const Listed = ({
  head,
  id,
  label,
  onEnd,
  rows,
  title
}: {
  readonly id: string
  readonly title: string
  readonly label: string
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ListedRow>
  readonly onEnd: (end: AskedEnd) => void
}) => (
  <section className="sheet" aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
    </header>

    <Table
      aria-label={label}
      columns={[
        ...head.map((name, at) => ({ name, className: at === 0 ? "strong" : "soft" })),
        { name: "Actions", className: "end" }
      ]}
    >
      {rows.map(({ cells, end, id }) => (
        <TableRow
          key={id}
          cells={[
            ...cells,
            end === undefined ? null : (
              <button key="end" type="button" className="button" aria-label={end.label} onClick={() => onEnd(end)}>
                {end.button}
              </button>
            )
          ]}
        />
      ))}
    </Table>
  </section>
)

const MAY: { readonly [Role in AdminRole.AdminRole]: string } = {
  "read-only": "read-only: reads",
  support: "support: also changes projects and keys",
  operator: "operator: also changes everything else",
  owner: "owner: also creates admin tokens"
}

/** The dialogue that creates an admin token. */
const NewToken = ({
  onClose,
  onMade,
  projects
}: {
  readonly projects: ReadonlyArray<Project>
  readonly onClose: () => void
  readonly onMade: (label: string, secret: Redacted.Redacted) => void
}) => (
  <ResourceDialog
    title="Create an admin token"
    confirm="Create"
    onClose={onClose}
    change={(data) => {
      const days = textOf(data, "days")
      const project = textOf(data, "project")
      const payload = {
        label: textOf(data, "label"),
        role: AdminRole.roles.find((role) => role === textOf(data, "role")) ?? "read-only",
        projects: project === "" ? null : [project],
        expiresAt: days === "" ? null : Date.now() + Number(days) * DAY
      }
      return (client) => client.operators.create({ payload })
    }}
    onDone={({ secret, token }) => onMade(token.label, secret)}
  >
    <Field name="label" label="Label" required maxLength={64} hint="The holder's name in the audit log." />
    <Choice
      name="role"
      label="Role"
      value="read-only"
      choices={AdminRole.roles.map((role) => [role, MAY[role]] as const)}
    />
    <Choice
      name="project"
      label="Projects"
      value=""
      choices={[["", "all projects"], ...projects.map(({ id, name }) => [id, `${name} (${id.slice(0, 8)})`] as const)]}
    />
    <Field
      name="days"
      label="Days until it expires"
      inputMode="numeric"
      pattern="[1-9][0-9]{0,3}"
      wrong="Days are a whole number. Leave the field empty for no expiry."
      placeholder="never"
    />
  </ResourceDialog>
)

const DAY = 24 * 60 * 60 * 1000

export default Accounts
