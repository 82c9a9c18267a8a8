// What the web is to this template: the pages of one week, served on loopback as their own servers would. No name is looked
// up and nothing leaves the machine; harbor.example/pricing is down, and tallyho.example/features breaks off.
import { existsSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';

/** Starts it. `fetch` gives what a URL answers; `close` ends it. */
export async function serveWeb() {
  const server = createServer(({ url }, response) => {
    const file = new URL(`pages${url}.html`, import.meta.url);
    const found = existsSync(file);
    response.writeHead(found ? 200 : 503, { 'content-type': 'text/html', connection: 'close' });
    response.end(found ? readFileSync(file) : '<h1>Service unavailable</h1>');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const place = { host: '127.0.0.1', port: server.address().port };
  return { fetch: (url) => fetchFrom({ ...place, path: `/${nameOf(url)}` }), close: () => server.close() };
}

/** `northwind.example/pricing`, and `northwind.example/index` for the first page. */
export const nameOf = (url) => url.replace('https://', '').replace(/\/$/, '/index');

function fetchFrom(place) {
  return new Promise((arrived, failed) => {
    const sent = request(place, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      arrived({ status: response.statusCode, html: Buffer.concat(chunks).toString('utf8') });
    });
    sent.on('error', failed).end();
  });
}
