/** `limits`: the limits of new projects, and of addresses. */
import * as Limiter from "@plumbline/gateway/limits/Limiter"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as Setting from "@plumbline/gateway/schema/Setting"

/** The section of the file. */
export const section = Setting.group(
  {
    project: Setting.group(
      ProjectLimits.fields,
      "Limits of a new project, unless its creator sets others. Existing projects keep their limits."
    ),
    ...Limiter.fields
  },
  "Limits of projects and addresses, in credits."
)
