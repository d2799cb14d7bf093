/** The list of projects, of any length, and the dialogue for a new project. */
import "../admin/admin.css"
import "./projects.css"
import type { Project } from "@plumbline/gateway/accounts/Account"
import { type ReactNode, useMemo, useState } from "react"

import { Check, Field, textOf } from "../admin/Fields.tsx"
import { Gate, Lead, LiveValue } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"
import { VirtualTable } from "../charts/VirtualTable.tsx"
import { StatePanel } from "../look/StatePanel.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { registry } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as NewSecrets from "./NewSecrets.ts"
import { ProjectPage } from "./ProjectPage.tsx"
import * as ProjectReads from "./projectReads.ts"

const Projects = () => (
  <Gate>{({ kind, project }) => (kind === "operator" ? <List /> : <ProjectPage id={project ?? ""} />)}</Gate>
)

const List = () => {
  const [isMaking, setMaking] = useState(false)
  const create = (
    <Permitted to="projects.create" what="Creating a project">
      <button type="button" className="button primary" onClick={() => setMaking(true)}>
        Create a project
      </button>
    </Permitted>
  )
  return (
    <>
      <LiveValue of={ProjectReads.all} what="the projects" changes="accounts">
        {({ calls, projects }) =>
          projects.length === 0 ? (
            <StatePanel
              kind="No project yet"
              title="Make the first project"
              text="It has its first key at once, with limits of its own. Calls without a key are refused."
            >
              {create}
            </StatePanel>
          ) : (
            <Table projects={projects} calls={calls} create={create} />
          )
        }
      </LiveValue>
      {isMaking ? <Make onClose={() => setMaking(false)} /> : null}
    </>
  )
}

const Table = ({
  calls,
  create,
  projects
}: {
  readonly projects: ReadonlyArray<Project>
  /** The calls of the last day by project; undefined if the session may not read them. */
  readonly calls: ReadonlyMap<string | undefined, bigint> | undefined
  readonly create: ReactNode
}) => {
  const [wanted, setWanted] = useState("")
  const found = useMemo(() => {
    const text = wanted.trim().toLowerCase()
    const matching = projects.filter(({ id, name }) => name.toLowerCase().includes(text) || id.startsWith(text))
    const callsOf = ({ id }: Project): bigint => calls?.get(id) ?? 0n
    return matching.sort((a, b) => Number(callsOf(b) - callsOf(a)) || a.name.localeCompare(b.name))
  }, [projects, calls, wanted])
  return (
    <div className="page projects">
      <Lead
        title="Projects"
        text={`${count(projects.length, "project")}${calls === undefined ? ", all that your role covers." : ", the most calls of the last 24 hours first."} Open one to see its keys, or to create a key.`}
      >
        <div className="row wrap">
          <input
            className="field"
            type="search"
            aria-label="Find a project"
            placeholder="Name or id"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
          {create}
        </div>
      </Lead>
      <section className="sheet">
        {found.length === 0 ? (
          <p className="inset soft">No project has this name or id.</p>
        ) : (
          <VirtualTable
            key={wanted}
            label="Projects"
            height={620}
            total={found.length}
            figuresFrom={4}
            head={["Name", "Id", "State", "Networks", "Calls, 24 h", "Credits per day"]}
            row={(at) => {
              const project = found[at]!
              const { allowlist, id, limits, name, suspended } = project
              return [
                <a key="name" className="strong stretched" href={ConsoleRoute.link({ _tag: "Project", id }).href}>
                  {name}
                </a>,
                <code key="id" className="soft">
                  {id.slice(0, 8)}
                </code>,
                suspended ? (
                  <b key="state">suspended</b>
                ) : (
                  <span key="state" className="soft">
                    in use
                  </span>
                ),
                <span key="networks" className="soft">
                  {allowlist.networks.length === 0 ? "all" : allowlist.networks.join(", ")}
                </span>,
                calls === undefined ? "–" : grouped(calls.get(id) ?? 0n),
                <span key="limit" className="soft">
                  {limits.creditsPerDay === undefined ? "no limit" : grouped(limits.creditsPerDay)}
                </span>
              ]
            }}
          />
        )}
      </section>
    </div>
  )
}

/** The dialogue that makes a project. The project's page then shows its key and secret once. */
const Make = ({ onClose }: { readonly onClose: () => void }) => {
  // one idempotency key for all attempts of this dialogue: repeating a lost request makes no second project
  const [request] = useState(() => crypto.randomUUID())
  return (
    <ResourceDialog
      title="Create a project"
      confirm="Create"
      onClose={onClose}
      change={(data) => (client) =>
        client.projects.create({
          headers: { "idempotency-key": request },
          payload: {
            name: textOf(data, "name"),
            card: data.has("card"),
            secretRequired: data.has("secretRequired")
          }
        })
      }
      onDone={(issued) => {
        NewSecrets.show(issued)
        registry.refresh(ProjectReads.all)
        Router.go({ _tag: "Project", id: issued.project.id })
      }}
    >
      <Field name="name" label="Name" required maxLength={256} hint="For people, such as wallet. It can change." />
      <Check name="card" isOn={false}>
        Its account has a billing card, so it can use IPFS and paid networks
      </Check>
      <Check name="secretRequired" isOn={false}>
        Calls need the secret beside the key. IPFS commands always do
      </Check>
      <p className="small quiet">
        It begins with the default limits, no allowlist, and one key, which its page shows next.
      </p>
    </ResourceDialog>
  )
}

export default Projects
