import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { anthropicError, anthropicEvents } from './anthropic-wire.ts';
import { chatEvents, openaiError } from './chat-wire.ts';
import { type Issued, type Refusal, remember } from './check-request.ts';
import { googleError, googleEvents } from './google-wire.ts';
import { responsesEvents } from './responses-wire.ts';
import type { Broken, Counts, Heard, Said, Wire } from './script.ts';
import { named, type Spoken, speak, unnamed } from './spoken.ts';

const eventsOf: Readonly<Record<Wire, (spoken: Spoken) => readonly string[]>> = {
  anthropic: anthropicEvents,
  openai: chatEvents,
  responses: responsesEvents,
  google: googleEvents,
};

const errorOf: Readonly<Record<Wire, (status: number, message: string, retryDelay?: string) => object>> = {
  anthropic: anthropicError,
  openai: openaiError,
  responses: openaiError,
  google: googleError,
};

/** Plays one step to its end. What was counted is given only when all of it was said. */
export async function play(
  step: Said | Broken,
  heard: Heard,
  answer: ServerResponse,
  issued: Issued,
): Promise<Counts | undefined> {
  if (!('fault' in step)) {
    const spoken = speak(step, heard);
    remember(step, heard.wire, spoken.calls, issued);
    if (step.afterMs !== undefined) await wait(step.afterMs);
    const said = await stream(answer, eventsOf[heard.wire](spoken), step.everyMs);
    if (said) answer.end();
    return said ? spoken.usage : undefined;
  }
  await breakDown(step, heard, answer);
  return undefined;
}

export function refuse({ status, message }: Refusal, { wire }: Heard, answer: ServerResponse): void {
  answer.writeHead(status, { 'content-type': 'application/json' });
  answer.end(JSON.stringify(errorOf[wire](status, message)));
}

async function breakDown(step: Broken, heard: Heard, answer: ServerResponse): Promise<void> {
  if (step.fault === 'silence') return;
  if (step.fault === 'reset') return void answer.socket?.resetAndDestroy();
  if (step.fault === 'page') {
    answer.writeHead(step.status, { 'content-type': 'text/html; charset=utf-8' });
    return void answer.end('<!doctype html>\n<html><body><h1>Please log in</h1></body></html>\n');
  }
  if (step.fault === 'status') {
    // Some providers quote the key in what they say of it.
    const message = `the script says ${step.status}\nto ${heard.key}`;
    answer.writeHead(step.status, { 'content-type': 'application/json', ...step.headers });
    return void answer.end(JSON.stringify(step.body ?? errorOf[heard.wire](step.status, message, step.retryDelay)));
  }
  if (step.fault === 'raw') {
    answer.writeHead(step.status ?? 200, { 'content-type': step.type ?? 'text/event-stream; charset=utf-8' });
    return void answer.end(step.body);
  }
  const name = heard.wire === 'anthropic' ? 'event: message_delta\n' : '';
  const events = eventsOf[heard.wire](speak(step.said, heard));
  const kept = step.fault === 'cut' && step.late === true ? events.length - 1 : Math.ceil(events.length / 2);
  const part = step.fault === 'cut' ? step.at : undefined;
  await stream(answer, part === undefined ? events.slice(0, kept) : [firstBytes(events, part)], step.said.everyMs);
  if (step.fault === 'garbage') await stream(answer, [`${name}data: {"type": "message_del\n\n`]);
  if (step.fault === 'broke') await stream(answer, [brokeEvent(step.status, heard.wire)]);
  if (step.fault === 'cut' && step.how === 'hang') return;
  if (step.fault === 'cut' && step.how === 'reset') answer.socket?.resetAndDestroy();
  else answer.end();
}

/** In the middle of an event, of a word, of a letter. */
function firstBytes(events: readonly string[], part: number): Buffer {
  const bytes = Buffer.from(events.join(''));
  return bytes.subarray(0, Math.floor(bytes.length * part));
}

function brokeEvent(status: number, wire: Wire): string {
  const message = `the script broke with ${status}`;
  const error = errorOf[wire](status, message);
  if (wire === 'responses') {
    const code = status === 429 ? 'rate_limit_exceeded' : 'server_error';
    return named({ type: 'response.failed', response: { id: 'resp_1', status: 'failed', error: { code, message } } });
  }
  return wire === 'anthropic' ? named({ type: 'error', ...error }) : unnamed(error);
}

/** False when the other side has hung up before the end. */
async function stream(answer: ServerResponse, events: readonly (string | Buffer)[], everyMs = 0): Promise<boolean> {
  if (!answer.headersSent) answer.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of events) {
    if (answer.destroyed) return false;
    // Flushed one by one, or what is cut off afterwards would never have been said.
    await new Promise<void>((done) => answer.write(event, () => done()));
    if (everyMs > 0) await wait(everyMs);
  }
  return !answer.destroyed;
}
