/** The package has no type declarations. */
declare module "parse-prometheus-text-format" {
  interface Family {
    readonly name: string
    readonly metrics: ReadonlyArray<{
      readonly value?: string
      readonly labels?: Readonly<Record<string, string>>
    }>
  }

  const parse: (text: string) => ReadonlyArray<Family>
  export default parse
}
