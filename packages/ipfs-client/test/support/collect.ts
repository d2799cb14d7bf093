/** Returns all values of an iterable, asynchronous or not. */
export const collect = async <A>(values: AsyncIterable<A> | Iterable<A>): Promise<Array<A>> => {
  const all: Array<A> = []
  for await (const value of values) {
    all.push(value)
  }
  return all
}
