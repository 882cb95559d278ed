// A page that has another address now: the section of the old address is kept.
location.replace(document.getElementById("moved").href + location.hash);
