import { mount } from "svelte";
import App from "./App.svelte";
import "./style/base.css";
import "./style/pages.css";
import "./style/turns.css";
import "./style/debate.css";
import "./style/print.css";

mount(App, { target: document.getElementById("app")! });
