// Stage 1: runs the sandbox's code and writes what it did to $ORGREPO_OUT. Nothing is judged here: the code under test
// shares this process, so it can do all that this file can. It may write any output and read anything that is here;
// what keeps it honest is that the answers are not.
//
// For your own project: call your code on your inputs, or build it, or start it, and write its output to files there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temperatureAfter } from '../sandbox/main.mjs';
import { minutes } from './minutes.mjs';

const temperatures = minutes.map((minute) => temperatureAfter(minute));
writeFileSync(join(process.env.ORGREPO_OUT, 'temperatures.json'), JSON.stringify(temperatures));
