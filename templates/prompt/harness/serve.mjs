// The stand-in behind HTTP, on loopback: it speaks the form that most servers of models have, so that what the harness does
// is what a program would do that uses the prompt, and another server can be put in its place.
import { Agent, createServer, request } from 'node:http';
import { answer } from './stand-in.mjs';

/** Starts it on a free port. `ask` sends a prompt and a message and gives the answer; `close` ends it. */
export async function serveStandIn() {
  const server = createServer(async (asked, response) => {
    const { messages } = JSON.parse(await textOf(asked));
    const [prompt, message] = ['system', 'user'].map((role) => messages.find((one) => one.role === role).content);
    const reply = { choices: [{ index: 0, message: { role: 'assistant', content: answer(prompt, message) } }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const place = { method: 'POST', host: '127.0.0.1', port: server.address().port, path: '/v1/chat/completions', agent };
  return {
    ask: (prompt, message) => ask(place, prompt, message),
    close: () => {
      agent.destroy();
      server.close();
    },
  };
}

async function ask(place, prompt, message) {
  const messages = [
    { role: 'system', content: prompt },
    { role: 'user', content: message },
  ];
  const response = await new Promise((arrived, failed) => {
    const sent = request({ ...place, headers: { 'content-type': 'application/json' } }, arrived).on('error', failed);
    sent.end(JSON.stringify({ model: 'stand-in', messages }));
  });
  return JSON.parse(await textOf(response)).choices[0].message.content;
}

async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
