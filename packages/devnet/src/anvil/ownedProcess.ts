/**
 * A child process that never outlives its parent, even if the parent is killed by SIGKILL.
 *
 * On POSIX the program is started by `sh`, which first puts a watcher into the background and then becomes the program
 * itself (`exec`), so the pid, the exit code and the signal are the program's own. The watcher sleeps in `read` on a
 * pipe whose other end only this process holds. When this process dies, for any reason, the kernel closes that end,
 * `read` fails and the watcher kills the program. If the program ends first, we send the watcher a line, and it exits
 * without touching the pid, which may belong to another process by then. There is no `cat`, no polling, and no moment
 * without a watcher: it runs before the program does.
 *
 * This uses node:child_process and not effect/process. The latter reports no signal of a killed child, treats a process
 * group as a tree of processes and waits for one, although there is exactly one process to end, and needs a layer of
 * platform services.
 *
 * The watcher outlives the program by a moment, so the machine's init has to reap it. In a container whose first
 * process reaps nothing (Node itself, without `docker run --init`), each watcher leaves an entry in the process table.
 *
 * Windows has no `sh`: a parent that is killed there leaves its child running.
 */
import * as ChildProcess from "node:child_process"
import { parse } from "node:path"
import type { Writable } from "node:stream"

import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The end of a process: either an exit code or a signal; the other is null. */
export interface Exit {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last characters of its standard error, at most `STDERR_TAIL` of them. */
  readonly stderr: string
}

export interface OwnedProcess {
  readonly pid: number
  /** Waits until the process is gone and its watcher closes the pipe, which is the watcher's last action. */
  readonly exited: Effect.Effect<Exit>
}

export interface Options {
  /** An absolute path. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Called with each piece of standard output, which is not kept anywhere else. */
  readonly onStdout: (text: string) => void
}

/** Maximum length of the kept end of standard error, in characters. */
export const STDERR_TAIL = 4096

export const SHELL = "/bin/sh"

/** Time from SIGTERM to SIGKILL, in milliseconds. */
const GRACE = 2000

/**
 * Starts a process that ends with the scope: by SIGTERM, and two seconds later by SIGKILL.
 *
 * Fails if the operating system cannot start it. On POSIX a program that cannot be executed is no such failure: the
 * shell starts, and exits with 126 or 127.
 */
export const spawn = (options: Options): Effect.Effect<OwnedProcess, Error, Scope.Scope> =>
  Effect.acquireRelease(start(options), (running) => running.stop)

interface Running extends OwnedProcess {
  readonly stop: Effect.Effect<void>
}

// "$$" is the pid of the shell, even in its subshells, and the shell becomes the program.
const script = `(read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-`

const start = (options: Options): Effect.Effect<Running, Error> =>
  Effect.callback((resume) => {
    const posix = process.platform !== "win32"
    const exited = Deferred.makeUnsafe<Exit>()
    let stderr = ""

    const child = ChildProcess.spawn(
      posix ? SHELL : options.command,
      posix ? ["-c", script, options.command, ...options.args] : options.args,
      {
        // The child gets neither our environment nor a .env of the working folder.
        env: posix ? {} : { SystemRoot: process.env["SystemRoot"] },
        cwd: parse(options.command).root,
        // A session of its own: Ctrl-C in the terminal reaches only this process, which ends the child in its own
        // order.
        detached: posix,
        windowsHide: true,
        stdio: posix ? ["ignore", "pipe", "pipe", "pipe"] : ["ignore", "pipe", "pipe"]
      }
    )
    const watcher = child.stdio[3] as Writable | undefined
    // An error here means that the watcher is gone already.
    watcher?.on("error", () => {})

    child.stdout?.setEncoding("utf8").on("data", options.onStdout)
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_TAIL)
    })
    child.once("exit", () => watcher?.end("\n"))
    child.once("close", (exitCode, signal) => {
      Deferred.doneUnsafe(exited, Effect.succeed({ exitCode, signal, stderr }))
    })
    child.on("error", (error) => resume(Effect.fail(error)))
    child.once("spawn", () => {
      resume(Effect.succeed({ pid: child.pid!, exited: Deferred.await(exited), stop: stop(child, exited) }))
    })
  })

/** Uses the platform's time and not the Clock's: a child must end under a test clock too. */
const stop = (child: ChildProcess.ChildProcess, exited: Deferred.Deferred<Exit>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const force = setTimeout(() => child.kill("SIGKILL"), GRACE)
    child.kill("SIGTERM")
    return Effect.andThen(
      Deferred.await(exited),
      Effect.sync(() => clearTimeout(force))
    )
  })
