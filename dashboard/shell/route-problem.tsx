// Page shown in place of one that does not exist or broke.

import { Button, Container, Group, Loader, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useRouteError } from 'react-router'
import { Loading } from '../parts/loading.tsx'

export function RouteProblem({ notFound = false }: { readonly notFound?: boolean }) {
  const error = useRouteError()
  if (notFound) {
    return (
      <Told title="Page not found" text="The address is wrong, or the page no longer exists.">
        <ToHome />
      </Told>
    )
  }
  if (isFileMissing(error)) return <FileMissing />
  const text = error instanceof Error ? error.message : 'An error occurred in the dashboard.'
  return (
    <Told title="Something went wrong" text={text}>
      <Button onClick={() => window.location.reload()}>Reload</Button>
      <ToHome />
    </Told>
  )
}

/**
 * The file of a page could not be had: the service does not answer, and the page is loaded when it does; or it was
 * updated under an open window, and no longer has this file.
 */
function FileMissing() {
  const [answers, setAnswers] = useState<boolean>()
  useEffect(() => {
    let ended = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = (asked: boolean) =>
      fetch('/healthz', { cache: 'no-store' }).then(
        () => {
          if (ended) return
          if (asked) window.location.reload()
          else setAnswers(true)
        },
        () => {
          if (ended) return
          setAnswers(false)
          timer = setTimeout(() => void ask(true), AGAIN_MS)
        },
      )
    void ask(false)
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [])
  if (answers === undefined) return <Loading />
  return answers ? (
    <Told
      title="New version available"
      text="Postrider was updated while this page was open. Reload to continue."
    >
      <Button onClick={() => window.location.reload()}>Reload</Button>
      <ToHome />
    </Told>
  ) : (
    <Told
      title="Waiting for the connection"
      text="Postrider could not be reached. This page is loaded as soon as it answers."
    >
      <Loader size="sm" />
    </Told>
  )
}

const AGAIN_MS = 2_000

interface ToldProps {
  readonly title: string
  readonly text: string
  readonly children: ReactNode
}

const Told = ({ title, text, children }: ToldProps) => (
  <Container size="xs" py={80} role="status">
    <Title order={1}>{title}</Title>
    <Text c="dimmed" mt="xs">
      {text}
    </Text>
    <Group mt="lg">{children}</Group>
  </Container>
)

const ToHome = () => (
  <Button component={Link} to="/" variant="default">
    Home
  </Button>
)

/** True if the error is that a file of the dashboard could not be loaded. */
const isFileMissing = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|Importing a module/.test(error.message)
