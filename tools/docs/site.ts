/**
 * Turns TypeDoc's output into one site. Modules have their import names, each module has a page with its functions,
 * guides have their own headings, and addresses follow the paths of files.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import {
  Application,
  Comment,
  Converter,
  type DeclarationReflection,
  DefaultTheme,
  DefaultThemeRenderContext,
  type DocumentReflection,
  JSX,
  MinimalSourceFile,
  type NavigationElement,
  type NormalizedPath,
  PageEvent,
  type PageKind,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  RendererEvent,
  type RouterTarget,
  StructureRouter
} from "typedoc"

import * as Fonts from "./fonts.ts"

const root = path.resolve(import.meta.dirname, "../..")

/**
 * Prefixes of file paths, each with the group of its pages and the prefix of their addresses. The first match counts.
 */
const places: ReadonlyArray<readonly [beginning: string, group: string, address: string]> = [
  ["docs/guides/", "Guides", "guides/"],
  ["docs/concepts/", "Concepts", "concepts/"],
  ["docs/migration/", "Migration", "migration/"],
  ["docs/decisions/", "Decisions", "decisions/"],
  ["docs/reference/", "Tables", "tables/"],
  ["lab/reports/", "Reports", "reports/"],
  ["docs/for-agents.md", "Guides", "guides/for-agents"],
  ["docs/", "Service", "service/"],
  ["packages/devnet/history/", "Tables", "tables/devnet-archive"],
  ["apps/", "Service", "service/"],
  ["packages/", "Packages", "packages/"]
]

/** A token of markdown-it. */
interface Token {
  readonly type: string
  readonly content: string
  children: ReadonlyArray<Token> | null
}

/** The part of markdown-it that this file calls. */
interface MarkdownParser {
  readonly core: {
    readonly ruler: {
      readonly push: (name: string, rule: (state: { readonly tokens: ReadonlyArray<Token> }) => void) => void
    }
  }
}

const addresses = new WeakMap<object, string>()

/** Called by TypeDoc. */
export const load = (app: Application): void => {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, page: DocumentReflection) => {
    const file = path.relative(root, page.project.files.getReflectionPath(page) ?? "")
    const place = places.find(([beginning]) => file.startsWith(beginning))
    const [first] = page.content
    const heading = first?.kind === "text" ? /^\s*# (.+)\n/.exec(`${first.text}\n`) : null
    if (place === undefined || first === undefined || heading === null) {
      throw new Error(`${file} has no place in tools/docs/site.ts, or does not begin with its heading`)
    }
    const [beginning, group, address] = place
    page.frontmatter["group"] = group
    page.name = heading[1]!.replaceAll("`", "")
    first.text = first.text.slice(heading[0].length)
    addresses.set(page, address + file.slice(beginning.length).replace(/\/?(?:README)?\.md$/, ""))
  })
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, module: DeclarationReflection) => {
    if (module.kind !== ReflectionKind.Module) return
    const match = /^([\w-]+)\/src\/(.+)$/.exec(module.name)
    if (match === null) throw new Error(`${module.name} is not a module of a package`)
    const [, folder, file] = match
    const { name }: { readonly name: string } = JSON.parse(
      readFileSync(path.join(root, "packages", folder!, "package.json"), "utf8")
    )
    module.name = `${name}/${file}`
    const source = path.join(root, "packages", folder!, "src", `${file}.ts`)
    const { content } = context.converter.parseRawComment(
      new MinimalSourceFile(commentOf(readFileSync(source, "utf8")), source as NormalizedPath),
      context.project.files
    )
    module.comment = new Comment([
      { kind: "code", text: imports(name, file!) },
      { kind: "text", text: "\n\n" },
      ...content
    ])
    addresses.set(module, `modules/${folder}/${file}`)
  })
  // Options are read once more after the plugins are loaded.
  app.on(Application.EVENT_BOOTSTRAP_END, () => app.options.setValue("markdownItLoader", withCodeInHeadings))
  // A script adds the icons to every page, because a page that is opened from a folder may not read them from another
  // file.
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = (page.contents ?? "").replaceAll(/(<use href=")[^"#]*assets\/icons\.svg#/gu, "$1#")
  })
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => Fonts.copy(path.join(outputDirectory, "assets")))
  app.renderer.defineRouter("site", SiteRouter)
  app.renderer.defineTheme("site", SiteTheme)
}

/**
 * Makes code count in the names and addresses of headings, as GitHub does. TypeDoc takes the text of a token's children,
 * and code has none.
 */
const withCodeInHeadings = ({ core }: MarkdownParser): void =>
  core.ruler.push("code in headings", ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      if (type !== "heading_open") continue
      for (const token of tokens[index + 1]!.children ?? []) {
        if (token.type === "code_inline") token.children = [{ type: "text", content: token.content, children: null }]
      }
    }
  })

/** Returns the comment with which a module begins, without its stars. TypeDoc itself accepts only marked comments. */
const commentOf = (source: string): string =>
  (/^\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? "").replace(/^[ \t]*\*[ \t]?/gm, "")

/** Returns the two ways to import a module: from the package, and by itself, which is less work for a bundler. */
const imports = (name: string, file: string): string => {
  const module = path.basename(file)
  return `\`\`\`ts\nimport { ${module} } from "${name}"\nimport * as ${module} from "${name}/${file}"\n\`\`\``
}

/**
 * Functions, constants and types are on the page of their module; services, errors and interfaces have their own pages.
 */
class SiteRouter extends StructureRouter {
  override getIdealBaseName(reflection: Reflection): string {
    const own = addresses.get(reflection)
    if (own !== undefined) return own
    return `${this.getIdealBaseName(reflection.parent!)}/${this.getUrlSafeName(reflection.name)}`
  }

  protected override getPageKind(target: RouterTarget): PageKind | undefined {
    const isInline =
      "kindOf" in target && target.kindOf([ReflectionKind.Function, ReflectionKind.Variable, ReflectionKind.TypeAlias])
    return isInline ? undefined : super.getPageKind(target)
  }
}

/** A page of a module shows its members in full, except for those that have a page of their own. */
class SiteContext extends DefaultThemeRenderContext {
  constructor(...args: ConstructorParameters<typeof DefaultThemeRenderContext>) {
    super(...args)
    const summary = this.moduleMemberSummary
    this.moduleMemberSummary = (member) =>
      member.isDeclaration() && !member.isReference() && !this.router.hasOwnDocument(member)
        ? JSX.createElement("dd", { class: "tsd-member-whole" }, this.member(member))
        : summary(member)
  }
}

/** In the navigation, packages contain their modules. Modules contain no members, because each page lists them. */
class SiteTheme extends DefaultTheme {
  override getRenderContext(event: PageEvent<Reflection>): SiteContext {
    return new SiteContext(this.router, this, event, this.application.options)
  }

  override buildNavigation(project: ProjectReflection): Array<NavigationElement> {
    const groups = super.buildNavigation(project)
    const modules = groups.find(({ text }) => text === "Modules")?.children ?? []
    return groups
      .filter(({ text }) => text !== "Modules")
      .map((group) =>
        group.text === "Packages"
          ? {
              ...group,
              children: (group.children ?? []).map((one) => ({ ...one, children: within(one.text, modules) }))
            }
          : group
      )
  }
}

/** Returns the modules of a package, named by their paths in it. */
const within = (name: string, modules: ReadonlyArray<NavigationElement>): Array<NavigationElement> =>
  modules
    .filter(({ text }) => text.startsWith(`${name}/`))
    .map((module) => {
      const one: NavigationElement = { ...module, text: module.text.slice(name.length + 1) }
      // the page of the module lists its members
      delete one.children
      return one
    })
