/** The page of a project: a new key (once), keys, programs to paste, usage, limits, rules, card, alerts. */
import "../admin/admin.css"
import "./projects.css"
import { useCallback, useEffect, useState } from "react"

import { Gate, Lead, LiveValue, useDialog } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { AlertsPanel } from "../alerts/AlertsPanel.tsx"
import * as PageSession from "../chain/PageSession.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"
import type { UsageWindow } from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { TokensPanel } from "../tokens/TokensPanel.tsx"
import { BillingCardPanel } from "./BillingCardPanel.tsx"
import * as NewSecrets from "./NewSecrets.ts"
import { EditProject, SuspendProject } from "./ProjectDialogs.tsx"
import { ProjectKeys } from "./ProjectKeys.tsx"
import { ProjectLimitsPanel } from "./ProjectLimitsPanel.tsx"
import { programsOf } from "./ProjectPrograms.ts"
import * as ProjectReads from "./projectReads.ts"
import { ProjectRules } from "./ProjectRules.tsx"
import { ProjectUsage } from "./ProjectUsage.tsx"
import { SecretOnce } from "./SecretOnce.tsx"
import { UseIt } from "./UseIt.tsx"

interface At {
  readonly id: string
  readonly window?: UsageWindow | undefined
}

const Project = (at: At) => <Gate>{() => <ProjectPage key={at.id} {...at} />}</Gate>

/** The page. A session that may not change the project sees the same page, without its changes. */
export const ProjectPage = ({ id, window }: At) => (
  <LiveValue of={ProjectReads.one(id)} what="the project" changes="accounts">
    {(read, again) => <Page read={read} window={window} again={again} />}
  </LiveValue>
)

const Page = ({
  again,
  read: found,
  window
}: {
  readonly read: ProjectReads.ProjectRead
  readonly window: At["window"]
  readonly again: () => void
}) => {
  const { ask, asked, close } = useDialog<"edit" | "suspend">(again)
  const secret = useAtom(NewSecrets.shown)
  const { access, project } = found
  const standing = useAtom(ProjectReads.standing(project.id))
  const read = standing === undefined ? found : { ...found, standing }
  useEffect(() => setAtom(Router.project, { id: project.id, name: project.name }), [project.id, project.name])
  const own = secret?.project === project.id ? secret : undefined
  const programs = programsOf(read, useAtom(PageSession.service), own)
  const [opened, setOpened] = useState<NewSecrets.NewSecret>()
  const openSecret = useCallback((isOpen: boolean) => setOpened(isOpen ? own : undefined), [own])
  return (
    <div className="page project">
      <Lead title={project.name} text={<p className="mono soft small">{project.id}</p>}>
        <Permitted to="projects.update" project={project.id} what="Changing the project">
          <div className="row">
            <button type="button" className="button" onClick={() => ask("edit")}>
              Edit…
            </button>
            <button type="button" className="button" onClick={() => ask("suspend")}>
              {project.suspended ? "Resume…" : "Suspend…"}
            </button>
          </div>
        </Permitted>
      </Lead>
      {access.suspended === null ? null : (
        <p className="notice">
          <span>
            <b>This project is suspended.</b> Its calls are refused with 403.
            {access.suspended.by === null
              ? ""
              : ` ${access.suspended.by} suspended it${access.suspended.at === null ? "" : ` at ${new Date(access.suspended.at).toISOString().slice(0, 16).replace("T", " ")} UTC`}.`}
          </span>
          <Permitted to="projects.update" project={project.id} isSilent>
            <button type="button" className="button" onClick={() => ask("suspend")}>
              Resume…
            </button>
          </Permitted>
        </p>
      )}
      {access.notices.map((notice) => (
        <p key={notice} className="notice">
          <span>
            <b>Two rules work against each other.</b> {notice.slice(0, 1).toUpperCase()}
            {notice.slice(1)}.
          </span>
        </p>
      ))}
      <div className="duo">
        <div>
          {own === undefined ? null : <SecretOnce secret={own} programs={programs} onOpen={openSecret} />}
          <ProjectKeys read={read} again={again} />
          <UseIt programs={programs} secret={own} isOpen={opened === own} />
          <ProjectUsage read={read} window={window} />
          <ProjectLimitsPanel read={read} />
          <AlertsPanel project={project} hasLimit={project.limits.creditsPerDay !== undefined} />
          <TokensPanel id={project.id} tokens={access.tokens} />
        </div>
        <div>
          <ProjectRules read={read} again={again} />
          {read.card === undefined || read.payer === undefined ? null : (
            <BillingCardPanel card={read.card} payer={read.payer} again={again} />
          )}
        </div>
      </div>
      {asked === "edit" ? <EditProject project={project} onClose={close} /> : null}
      {asked === "suspend" ? <SuspendProject project={project} onClose={close} /> : null}
    </div>
  )
}

export default Project
